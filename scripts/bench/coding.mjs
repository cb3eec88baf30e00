import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Server, freePort, keep, stop } from './children.mjs'
import { atMost, median, quantile, row } from './figures.mjs'

const MODEL = fileURLToPath(new URL('../../../shared/modelsim/', import.meta.url))
const LANGUAGES = ['python', 'typescript']
// The time of a model call on a fast machine with a small model. The sandbox prepares its next processes meanwhile.
const LATENCY = 1000
const TIMED = 20
const CROWD = 8
const BUSY_RUNS = 32
const RUNS = 500
const SETTLED = 100

/** How much time svc-code takes in addition to its model, how it delays the event loop, and what it leaves in memory. */
export async function coding () {
  if (!existsSync(MODEL)) return { rows: [], notes: ['not measured: it takes the scripted model that is kept beside the project'] }
  const { loadTasks, promptFor } = await import(`${MODEL}lib/tasks.mjs`)
  const tasks = language => loadTasks(undefined, [language]).map(task => promptFor(task, true))
  const model = await startModel()
  const service = await Server.start('service', { args: [`${model.url}/v1`], flags: ['--expose-gc'] })
  try {
    const own = {}
    await model.reset({ latency: LATENCY })
    for (const language of LANGUAGES) {
      const [first, ...others] = tasks(language).slice(0, TIMED + 1)
      await ask(service, first) // makes the sandbox warm
      own[language] = []
      for (const prompt of others) own[language].push(await ownTime(service, model, prompt))
    }
    await model.reset({ latency: 100 })
    const mixed = LANGUAGES.flatMap(tasks)
    await service.watchLoop()
    await crowd(service, mixed, BUSY_RUNS)
    const delay = await service.loopDelay()
    await model.reset({ latency: 0 })
    await crowd(service, mixed, SETTLED)
    const before = await weigh(service)
    await crowd(service, mixed, RUNS)
    const after = await weigh(service)
    return {
      rows: [row('beside the model, p50 of a task', 'ms', Object.fromEntries(LANGUAGES.map(language => [language, own[language]])))],
      goals: [
        ...LANGUAGES.map(language => atMost(`beside the model, ${language}, p50`, median(own[language]), 500, ' ms')),
        atMost(`delay of the event loop p99, ${CROWD} runs at once`, delay.p99, 20, ' ms'),
        atMost(`objects that ${RUNS} runs leave behind, each`, (after.objects - before.objects) / RUNS / 1024, 1, ' KiB')
      ],
      notes: [
        `the model takes ${LATENCY} ms a call; p90 beside it: ${LANGUAGES.map(language => `${language} ${quantile(own[language], 0.9).toFixed(0)} ms`).join(', ')}`,
        `longest delay of the event loop: ${delay.max.toFixed(1)} ms`,
        `after ${SETTLED} runs and after ${SETTLED + RUNS}: objects ${mb(before.objects)} and ${mb(after.objects)}, heap with compiled code ${mb(before.heap)} and ${mb(after.heap)}, RSS ${mb(before.rss)} and ${mb(after.rss)}`
      ]
    }
  } finally {
    await service.stop()
    await stop(model.child)
  }
}

const weigh = async service => ({ ...await service.memory(), objects: await service.objects() })
const mb = bytes => `${(bytes / 1024 / 1024).toFixed(1)} MB`

/** The time of a run without the time of its model calls. */
async function ownTime (service, model, prompt) {
  const calls = await model.calls()
  const since = performance.now()
  await ask(service, prompt)
  return performance.now() - since - (await model.calls() - calls) * LATENCY
}

async function ask ({ port }, prompt) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-code', messages: [{ role: 'user', content: prompt }] })
  })
  const body = await response.json()
  if (!response.ok) throw new Error(`a task failed: ${JSON.stringify(body)}`)
}

async function crowd (service, prompts, count) {
  let next = 0
  await Promise.all(Array.from({ length: CROWD }, async () => {
    while (next < count) await ask(service, prompts[next++ % prompts.length])
  }))
}

async function startModel () {
  const port = await freePort()
  const child = keep(spawn(process.execPath, [`${MODEL}server.mjs`, '--port', String(port)], { stdio: 'ignore' }))
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; !(await fetch(`${url}/health`).catch(() => undefined)); tries++) {
    if (tries > 100) throw new Error('the scripted model does not start')
    await sleep(50)
  }
  return {
    child,
    url,
    reset: async knobs => { await fetch(`${url}/_reset`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(knobs) }) },
    calls: async () => (await (await fetch(`${url}/_log`)).json()).length
  }
}
