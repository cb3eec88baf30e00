import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startProgram, until } from './processes.mjs'

export const TRIALS = { question, function: program, edit, abort }

const BEFORE = 'def greet(name):\n    return "Hello " + name\n'
const AFTER = 'def greet(name):\n    return "Hello, " + name + "!"\n'
const [OLD, NEW] = [BEFORE, AFTER].map(text => text.split('\n')[1])

const ANSWER = 'The capital of Mongolia is Ulaanbaatar (Улаанбаатар).'
const PROGRAM = 'def add(a, b):\n    return a + b'
const PATIENCE = 180_000

// Each trial gets { name, client, service, model, home, work } and gives back the word of its cell, or throws what went wrong.

async function question (trial) {
  trial.model.play = { answer: ANSWER }
  const { output } = await asked(trial, 'What is the capital of Mongolia? Answer in one sentence.')
  if (!output.includes('Ulaanbaatar (Улаанбаатар)')) throw new Error(`the answer is not in its output:\n${output.slice(-2000)}`)
  return 'ok'
}

/** A client that brings tools, or reads replies in a format of its own, gets the model's words; others get what was run, too. */
async function program (trial) {
  trial.model.play = { answer: `Here it is:\n\n\`\`\`python\n${PROGRAM}\n\`\`\`\n` }
  const { output } = await asked(trial, 'Write a Python function add(a, b) that adds two numbers.')
  for (const line of PROGRAM.split('\n')) if (!output.includes(line.trim())) throw new Error(`the program is not in its output:\n${output.slice(-2000)}`)
  if (trial.client.relayed) return 'ok, relayed'
  if (!/Verification/.test(output)) throw new Error(`the reply has no Verification section:\n${output.slice(-2000)}`)
  return 'ok, verified'
}

async function edit (trial) {
  const { client, model, work } = trial
  if (!client.edit) return client.noEdit
  const file = join(work, 'greet.py')
  writeFileSync(file, BEFORE)
  const play = client.edit({ file, name: 'greet.py', before: BEFORE, after: AFTER, old: OLD, new: NEW })
  model.play = typeof play === 'function' ? { edit: play, answer: 'Done.' } : play
  const { output } = await asked(trial, 'In greet.py, put a comma after Hello and an exclamation mark at the end.')
  const got = readFileSync(file, 'utf8')
  if (got !== AFTER) throw new Error(`the file has ${JSON.stringify(got)}; the tools were ${toolsOf(model)}; its output:\n${output.slice(-3000)}`)
  return 'ok'
}

async function abort (trial) {
  const { model, service } = trial
  model.play = { answer: '', endless: true }
  const running = start(trial, 'Tell a very long story.')
  await Promise.race([
    until(() => model.pieces >= 10, PATIENCE),
    running.ended.then(({ output }) => { throw new Error(`it ended by itself:\n${output.slice(-2000)}`) })
  ])
  const told = service.log.length
  const since = Date.now()
  running.kill()
  await until(() => model.open === 0, 10_000).finally(running.sweep)
  const took = Date.now() - since
  await until(() => service.log.slice(told).some(({ msg }) => msg === 'run ends: the client went away'), 10_000)
  if (took > 2000) throw new Error(`the run was gone after ${took} ms only`)
  return `${took} ms`
}

async function asked (trial, prompt) {
  const { model } = trial
  const running = start(trial, prompt)
  const result = await Promise.race([running.ended, new Promise(resolve => setTimeout(resolve, PATIENCE).unref())])
  running.kill()
  running.sweep()
  if (!result) throw new Error(`it was not done within ${PATIENCE / 1000} s:\n${running.output().slice(-2000)}`)
  if (model.seen.length === 0) throw new Error(`nothing reached the model (exit code ${result.code}):\n${result.output.slice(-2000)}`)
  return result
}

function start ({ name, client, service, model, home, work, shared }, prompt) {
  Object.assign(model, { seen: [], pieces: 0 })
  const told = client.ask({ url: service.url, prompt, trial: name, home, work, shared })
  for (const [path, text] of Object.entries(told.files ?? {})) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  return startProgram(told, { home, work })
}

function toolsOf ({ seen }) {
  return JSON.stringify(seen[0]?.tools?.map(({ function: { name, parameters } }) => [name, Object.keys(parameters?.properties ?? {})]))
}
