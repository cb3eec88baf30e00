// A service of its own, with jobs that do not end: see survivors.test.ts.
import type { Files } from '../../../agents/types.js'
import { LocalSandbox } from '../../../plugins/sandbox/sandbox.js'
import { QUIET } from './support.js'

const THREAD = 'new Worker("data:text/javascript,for(;;){}", { type: "module" })\nawait new Promise(() => {})'
const TYPES = `type U = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j'
type V = \`\${U}\${U}\${U}\${U}\`
export const w: { [K in V]: { [L in V]: \`\${K}\${L}\` } }[V][V] = 1
`
const options = { signal: new AbortController().signal, limits: { wallMs: 600_000, cpuMs: 600_000, memoryMiB: 4096 } }
const sandbox = new LocalSandbox({ log: QUIET, processes: 4 })
const ignore = () => {} // the end of this process is what is tested
const test = (files: Files) => sandbox.test({ language: 'typescript', files, tests: ['a.test.ts'] }, options).catch(ignore)

await sandbox.prove()
void test({ 'a.test.ts': 'console.log(1)\nfor (;;) {}' })
void test({ 'a.test.ts': THREAD })
void sandbox.check({ language: 'typescript', files: { 'a.ts': TYPES } }, options).catch(ignore)
sandbox.warm('typescript')
