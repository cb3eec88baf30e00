import t from 'tap'
import { decodeValue } from '../../../plugins/sandbox/values.js'

void t.test('a value that a runner sent is accepted only in the shape that the types promise', async t => {
  for (const good of [
    { type: 'none' }, { type: 'bool', value: true }, { type: 'int', value: '-12' }, { type: 'float', value: '1e-07' }, { type: 'float', value: 'nan' }, { type: 'number', value: '-Infinity' }, { type: 'bytes', value: '00ff' },
    { type: 'list', items: [{ type: 'str', value: 'a' }] }, { type: 'dict', entries: [[{ type: 'none' }, { type: 'none' }]] }, { type: 'object', name: 'A', entries: [], text: 'a' }
  ]) t.same(decodeValue(good), good)
  for (const bad of [
    null, 1, 'x', [], {}, { type: 'nothing' }, { type: 'bool', value: 1 }, { type: 'int', value: '1; evil' }, { type: 'int', value: 1 }, { type: 'float', value: 'x' }, { type: 'bytes', value: 'abc' }, { type: 'list' }, { type: 'list', items: {} },
    { type: 'dict', entries: 'x' }, { type: 'object', entries: [], text: 'a' }, { type: '__proto__' }, { type: 'toString' }
  ]) t.same(decodeValue(bad), { type: 'cut' }, JSON.stringify(bad))
  t.same(decodeValue({ type: 'dict', entries: [[{ type: 'none' }]] }), { type: 'dict', entries: [[{ type: 'cut' }, { type: 'cut' }]] })
  t.same(decodeValue({ type: 'none', more: 1 }), { type: 'none' }, 'nothing else gets through')
})

void t.test('depth and length are bounded', async t => {
  let deep: unknown = { type: 'none' }
  for (let depth = 0; depth < 5000; depth++) deep = { type: 'list', items: [deep] }
  t.match(JSON.stringify(decodeValue(deep)), /"cut"/)
  const long = decodeValue({ type: 'list', items: Array.from({ length: 300_000 }, () => ({ type: 'none' })) })
  t.ok(long.type === 'list' && long.items.at(-1)?.type === 'cut')
})
