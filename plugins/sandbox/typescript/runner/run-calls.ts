import { send } from './channel.js'
import { encodeValue } from './encode.js'
import { cancel, later } from './platform.js'
import { urlOf } from './run-tests.js'
import { takeStray, thrownFields } from './thrown.js'

export interface CallJob {
  folder: string
  calls: { file: string, code: string }[]
  /** The name of the exported function that evaluates code in the scope of its file. */
  evaluator: string
  callMs: number
}

type Evaluate = (code: string) => unknown

class TimeUp extends Error {}

/** Evaluates each call in the scope of its file. */
export async function runCalls ({ folder, calls, evaluator, callMs }: CallJob): Promise<void> {
  let loaded: { file: string, evaluate: Evaluate | undefined } | undefined
  for (const [id, { file, code }] of calls.entries()) {
    if (loaded?.file !== file) loaded = { file, evaluate: await load(folder, file, evaluator) }
    if (loaded.evaluate) await call(id, loaded.evaluate, code, callMs)
  }
  send('end', { count: calls.length })
}

async function load (folder: string, file: string, evaluator: string): Promise<Evaluate | undefined> {
  send('loading', { file })
  try {
    const module = await import(urlOf(folder, file)) as Record<string, unknown>
    send('loaded', { file })
    return module[evaluator] as Evaluate
  } catch (thrown) {
    send('load error', { file, ...thrownFields(thrown) })
    return undefined
  }
}

async function call (id: number, evaluate: Evaluate, code: string, callMs: number): Promise<void> {
  send('start', { id })
  let timer: number | undefined
  try {
    const late = new Promise<never>((_resolve, reject) => {
      timer = later(() => { reject(new TimeUp(`it did not settle within ${callMs} ms`)) }, callMs) as unknown as number
    })
    const value = await Promise.race([evaluate(code), late])
    const stray = takeStray()
    if (stray) throw stray.reason
    send('returned', { id, value: encodeValue(value) })
  } catch (thrown) {
    send(thrown instanceof TimeUp ? 'late' : 'raised', { id, ...thrownFields(thrown) })
  } finally {
    cancel(timer)
  }
}
