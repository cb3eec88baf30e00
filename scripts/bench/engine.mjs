import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createJiti } from 'jiti'
import { LlamaLogLevel, getLlama } from 'node-llama-cpp'
import { buildApp } from '../../dist/app.js'
import { atLeast, atMost, interleave, median, pick, quantile, row } from './figures.mjs'

const TOKENS = 2000
const STREAMS = 4
const STARTS = 3
// A round takes a second, and the speed of a shared machine varies.
const MIN_ROUNDS = 15
const PROMPT = 'Recite without end'
const THREADS = 1

const never = new AbortController().signal

/** What the engine of this service costs compared with llama.cpp itself, on a tiny model, so that the overhead shows. */
export async function engine ({ rounds }) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const path = join(folder, 'tiny.gguf')
  let app
  let direct
  try {
    const { makeReciter } = await createJiti(import.meta.url).import('../../plugins/backend/reciter/reciter.ts')
    writeFileSync(path, makeReciter({ name: 'bench', lessons: [{ on: [PROMPT], say: { forever: 'round and round it goes ' } }], fallback: 'nothing' }))
    const starts = []
    for (let i = 0; i < STARTS; i++) {
      await app?.close()
      const since = performance.now()
      app = await buildApp({ engine: { model: path, threads: THREADS, useGpu: false } })
      await ready(app.backend)
      starts.push(performance.now() - since)
    }
    direct = await openDirect(path)
    const subjects = { svc: () => throughService(app.backend), direct: () => direct.write(TOKENS) }
    const measure = async name => ({ speed: TOKENS / await timed(subjects[name]) * 1000 })
    const found = await interleave(Object.keys(subjects), Math.max(rounds, MIN_ROUNDS), measure)
    const speed = pick(found, 'speed')
    const { together, delay } = await several(app.backend)
    return {
      rows: [row('tokens a second, one stream', '1/s', speed, 0)],
      goals: [
        atLeast('share of the speed of llama.cpp itself', median(speed.svc) / median(speed.direct), 0.9),
        atMost(`delay of the event loop p99, ${STREAMS} streams`, delay, 20, ' ms')
      ],
      notes: [
        `${STREAMS} streams: ${together.toFixed(0)} tokens a second together`,
        `start of the engine with a model: ${quantile(starts, 0.5).toFixed(0)} ms; its process holds ${residentOf(app.backend.pid)} MB`
      ]
    }
  } finally {
    await direct?.close()
    await app?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function openDirect (path) {
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error, maxThreads: THREADS })
  const model = await llama.loadModel({ modelPath: path })
  const context = await model.createContext({ contextSize: 32768, sequences: STREAMS, threads: THREADS })
  const sequence = context.getSequence()
  return {
    async write (count) {
      await sequence.clearHistory()
      const tokens = model.tokenize(`<|im_start|>user\n${PROMPT}<|im_end|>\n<|im_start|>assistant\n`, true)
      let written = 0
      for await (const token of sequence.evaluate(tokens, { temperature: 0 })) {
        model.detokenize([token])
        if (++written === count) return
      }
    },
    close: () => llama.dispose()
  }
}

async function ready (backend) {
  for await (const step of backend.ready(never)) void step
}

async function throughService (backend) {
  let last
  for await (const event of backend.chat({ messages: [{ role: 'user', content: PROMPT }], temperature: 0, top_p: 1, max_tokens: TOKENS, step: 'answer', run: 'bench' }, never)) last = event
  if (last?.reason !== 'length') throw new Error(`the reply was to go on, and ended with ${JSON.stringify(last)}`)
}

async function several (backend) {
  const histogram = monitorEventLoopDelay({ resolution: 1 })
  histogram.enable()
  const took = await timed(() => Promise.all(Array.from({ length: STREAMS }, () => throughService(backend))))
  histogram.disable()
  return { together: STREAMS * TOKENS / took * 1000, delay: histogram.percentile(99) / 1e6 }
}

async function timed (work) {
  const since = performance.now()
  await work()
  return performance.now() - since
}

function residentOf (pid) {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
  } catch {
    return 'unknown' // not Linux
  }
}
