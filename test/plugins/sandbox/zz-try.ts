import { LocalSandbox } from '../../../plugins/sandbox/sandbox.js'
import { readFile } from 'node:fs/promises'
const log = { debug () {}, info () {}, warn: console.log, error: console.log }
const s = new LocalSandbox({ log })
const [,, file, mode = 'test'] = process.argv
const text = await readFile(file!, 'utf8')
const r = mode === 'check' ? await s.check({ language: 'typescript', files: { 'a.test.ts': text } }, { signal: AbortSignal.timeout(30000) }) : await s.test({ language: 'typescript', files: { 'a.test.ts': text }, tests: ['a.test.ts'] }, { signal: AbortSignal.timeout(30000), limits: { wallMs: 1500, cpuMs: 1200, memoryMiB: 512 } })
console.log(JSON.stringify(r, null, 1))
await s.close()
