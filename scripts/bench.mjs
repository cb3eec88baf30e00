// npm run bench [-- NAME ...] [--json FILE] [--rounds N] [--seconds S] [--streams N]
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { addedLatency } from './bench/added-latency.mjs'
import { backend } from './bench/backend.mjs'
import { blocking } from './bench/blocking.mjs'
import { stopAll } from './bench/children.mjs'
import { coding } from './bench/coding.mjs'
import { engine } from './bench/engine.mjs'
import { firstByte } from './bench/first-byte.mjs'
import { idleStreams } from './bench/idle-streams.mjs'
import { machine, print, printMachine } from './bench/report.mjs'
import { sandbox } from './bench/sandbox.mjs'
import { startUp } from './bench/start-up.mjs'
import { json, sse } from './bench/throughput.mjs'
import { orExplain, setUp } from './setup.mjs'

const BENCHES = {
  json,
  sse,
  'first-byte': firstByte,
  'added-latency': addedLatency,
  'idle-streams': idleStreams,
  'start-up': startUp,
  backend,
  engine,
  coding,
  sandbox,
  blocking
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    streams: { type: 'string', default: '10000' }
  }
})

const names = positionals.length > 0 ? positionals : Object.keys(BENCHES)
const unknown = names.filter(name => !Object.hasOwn(BENCHES, name))
const options = { rounds: whole('rounds', 1, 100), ms: 1000 * whole('seconds', 1, 60), streams: whole('streams', 1, 100_000) }
if (unknown.length > 0) fail(`There is no bench ${unknown.join(', ')}. There are ${Object.keys(BENCHES).join(', ')}.`)

function whole (name, min, max) {
  const number = Number(values[name])
  if (!Number.isInteger(number) || number < min || number > max) fail(`--${name} must be a whole number from ${min} to ${max}.`)
  return number
}

function fail (message) {
  console.error(message)
  process.exit(1)
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stopAll().finally(() => process.exit(1)))

await orExplain(() => setUp())
const report = { at: new Date().toISOString(), machine: machine(), options, benches: {} }
printMachine(report.machine)
try {
  for (const name of names) {
    report.benches[name] = await BENCHES[name](options)
    print(name, report.benches[name])
  }
} finally {
  await stopAll()
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`)
