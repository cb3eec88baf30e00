// A service of its own, with code under way that does not want to end: see survivors.test.ts.
import { LocalSandbox } from '../../../plugins/sandbox/sandbox.js'
import { QUIET, patience } from './support.js'

const sandbox = new LocalSandbox({ log: QUIET, processes: 4 })
await sandbox.prove()
const limits = { wallMs: 60_000, cpuMs: 60_000 }
const swallow = () => {} // the end of this process is what is tested
sandbox.test({ language: 'typescript', files: { 'a.test.ts': 'console.log(1)\nfor (;;) {}' }, tests: ['a.test.ts'] }, { ...patience(), limits }).catch(swallow)
sandbox.test({ language: 'typescript', files: { 'a.test.ts': 'new Worker("data:text/javascript,for(;;){}", { type: "module" })\nawait new Promise(() => {})' }, tests: ['a.test.ts'] }, { ...patience(), limits }).catch(swallow)
sandbox.check({ language: 'typescript', files: { 'a.ts': `type U = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j'\ntype V = \`\${U}\${U}\${U}\${U}\`\nexport const w: { [K in V]: { [L in V]: \`\${K}\${L}\` } }[V][V] = 1` } }, { ...patience(), limits }).catch(swallow)
sandbox.warm('typescript')
setTimeout(() => console.log('RUNNING'), 1500)
