import { availableParallelism } from 'node:os'
import t, { type Test } from 'tap'
import { cores, quota } from '../../../../plugins/backend/embedded/child/cores.js'
import { Outbox } from '../../../../plugins/backend/embedded/child/outbox.js'
import { Reasoning, endsUnopened } from '../../../../plugins/backend/reasoning.js'
import { StopTexts } from '../../../../plugins/backend/embedded/child/stop-texts.js'
import { Inbox } from '../../../../plugins/backend/embedded/inbox.js'
import type { Report } from '../../../../plugins/backend/embedded/messages.js'
import { until } from '../../../support/service.js'
import { tempFolder, write } from '../../../support/folders.js'

/** What comes of a reply, however it is cut: in one piece, letter by letter, in threes. */
function everyWay (t: Test, text: string, read: (pieces: string[]) => unknown, expected: unknown): void {
  for (const size of [text.length, 1, 3]) t.same(read(text.match(new RegExp(`[^]{1,${size || 1}}`, 'g')) ?? []), expected, `${JSON.stringify(text)} in pieces of ${size}`)
}

void t.test('reasoning in front of a reply is parted from it', async t => {
  const parted = (isOpen: boolean) => (pieces: string[]) => {
    const reasoning = new Reasoning(isOpen)
    const parts = [...pieces.flatMap(piece => reasoning.take(piece)), ...reasoning.end()]
    return (['reasoning', 'fragment'] as const).map(type => parts.map(part => part.type === type ? part.text : '').join(''))
  }
  everyWay(t, '<think>\nhm\n</think>\n\nyes', parted(false), ['hm\n', 'yes'])
  everyWay(t, 'hm </think> yes', parted(true), ['hm ', 'yes'])
  everyWay(t, '  <think>a < b</think>c', parted(false), ['a < b', 'c'])
  everyWay(t, 'a <think> b </think>', parted(false), ['', 'a <think> b </think>'])
  everyWay(t, '<thin air>', parted(false), ['', '<thin air>'])
  everyWay(t, '<th', parted(false), ['', '<th'])
  everyWay(t, '<think>never done</th', parted(false), ['never done</th', ''])
  everyWay(t, '<think>\nopened twice</think>yes', parted(true), ['opened twice', 'yes'])
  everyWay(t, '<thi', parted(true), ['<thi', ''])
  everyWay(t, '', parted(true), ['', ''])
})

void t.test('a closing tag without an opening one ends reasoning, unless the tag is only mentioned', t => {
  for (const [text, expected] of [
    ['Let me see.\n</think>\n\nSeven.', true],
    ['</think>\n\nSeven.', true],
    ['Let me see.\n  </think>', true],
    ['Close it with </think> at the end.', false],
    ['It is\n`</think>`\n', false],
    ['As in\n```\n</think>\n```\nyou see', false],
    ['Write <think>\nand then\n</think>\n', false],
    ['Seven.', false]
  ] as const) t.equal(endsUnopened(text), expected, text)
  t.end()
})

void t.test('a reply ends before the first stop text', async t => {
  const cut = (...stops: string[]) => (pieces: string[]) => {
    const texts = new StopTexts(stops)
    return [pieces.map(piece => texts.take(piece)).join('') + texts.end(), texts.isReached]
  }
  everyWay(t, 'one two three', cut('two'), ['one ', true])
  everyWay(t, 'one two three', cut('three', 'one two'), ['', true])
  everyWay(t, 'one two tw', cut('two!'), ['one two tw', false])
  everyWay(t, 'aaab', cut('aab'), ['a', true])
  everyWay(t, 'text', cut(''), ['text', false])
})

void t.test('the cores are those of the narrowest control group', async t => {
  const fake = (files: Record<string, string>) => write(tempFolder(t), files)
  t.equal(quota(fake({})), Infinity)
  t.equal(quota(fake({ 'proc/self/cgroup': '0::/a/b\n', 'sys/fs/cgroup/a/cpu.max': '150000 100000\n', 'sys/fs/cgroup/a/b/cpu.max': 'max 100000\n' })), 1.5)
  t.equal(quota(fake({ 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.max': '400000 100000\n' })), 4)
  t.equal(quota(fake({ 'proc/self/cgroup': '4:cpu,cpuacct:/x\n0::/\n', 'sys/fs/cgroup/cpu/x/cpu.cfs_quota_us': '200000\n', 'sys/fs/cgroup/cpu/x/cpu.cfs_period_us': '100000\n' })), 2)
  t.equal(quota(fake({ 'proc/self/cgroup': '4:cpu:/x\n', 'sys/fs/cgroup/cpu/x/cpu.cfs_quota_us': '-1\n' })), Infinity)
  t.equal(cores(fake({ 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.max': '50000 100000\n' })), 1, 'never none')
  t.equal(cores(fake({})), availableParallelism())
})

void t.test('an inbox gives what came before a failure first', async t => {
  const inbox = new Inbox<number>()
  const waiting = inbox.next()
  for (const number of [1, 2]) inbox.push(number)
  inbox.fail(new Error('gone'))
  t.same([await waiting, await inbox.next()], [1, 2])
  await t.rejects(inbox.next(), /gone/)
  await t.rejects(inbox.next(), /gone/)
})

void t.test('an outbox joins texts that follow each other quickly, keeps the order, and keeps nothing back', async t => {
  const sent: Report[] = []
  const outbox = new Outbox(report => sent.push(report))
  for (let i = 0; i < 500; i++) {
    for (const id of [1, 2]) outbox.put({ type: i < 100 ? 'reasoning' : 'fragment', id, text: `${i} ` })
  }
  outbox.put({ type: 'waiting', id: 3, before: 1 })
  t.same(sent.at(-1), { type: 'waiting', id: 3, before: 1 })
  t.ok(sent.length < 500)
  const textOf = (wanted: string, id: number) => sent.map(report => 'text' in report && 'id' in report && report.id === id && report.type === wanted ? report.text : '').join('')
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `${from + i} `).join('')
  for (const id of [1, 2]) {
    t.equal(textOf('reasoning', id), numbers(0, 100))
    t.equal(textOf('fragment', id), numbers(100, 500))
  }
  outbox.put({ type: 'fragment', id: 1, text: 'the last' })
  await until(() => sent.some(report => report.type === 'fragment' && report.text.endsWith('the last')))
})
