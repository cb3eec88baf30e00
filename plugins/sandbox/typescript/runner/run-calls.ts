import { bool, num, str } from './json.js'
import { send } from './channel.js'
import { encodeValue } from './encode.js'
import { Failure, Pending, cancel, later, whenSettled } from './platform.js'
import { takeStray } from './stray.js'
import { thrownFields } from './thrown.js'
import { urlOf } from './run-tests.js'

export interface CallJob {
  folder: string
  calls: { file: string, code: string }[]
  /** The name under which each file exports what evaluates in its scope. */
  evaluator: string
  callMs: number
}

/** Evaluates each call in the scope of its module. */
export async function runCalls ({ folder, calls, evaluator, callMs }: CallJob): Promise<void> {
  let loaded: { file: string, scope: unknown } | undefined
  let broken: { file: string, thrown: unknown } | undefined
  let id = 0
  for (const { file, code } of calls) {
    if (loaded?.file !== file && broken?.file !== file) {
      send('loading', { file: str(file) })
      try {
        const module = await import(urlOf(folder, file)) as Record<string, unknown>
        loaded = { file, scope: module[evaluator] }
        send('loaded', { file: str(file) })
      } catch (thrown) {
        broken = { file, thrown }
        send('load error', { file: str(file), ...thrownFields(thrown) })
      }
    }
    if (broken?.file !== file && loaded) await call(id, loaded.scope, code, callMs)
    id++
  }
  send('end', { count: num(id), tampered: bool(false) })
}

async function call (id: number, scope: unknown, code: string, callMs: number): Promise<void> {
  send('start', { id: num(id) })
  let timer: number | undefined
  try {
    let value: unknown
    await new Pending<void>((resolve, reject) => {
      timer = later(() => reject(new TimeUp(`it did not settle within ${callMs} ms`)), callMs) as unknown as number
      if (typeof scope !== 'function') throw new Failure('the file cannot be evaluated in')
      // The value is put down rather than handed on: a promise would ask it for a `then` once more.
      whenSettled((scope as (code: string) => unknown)(code), settled => { value = settled; resolve() }, reject)
    })
    const stray = takeStray()
    if (stray) throw stray.reason
    send('returned', { id: num(id), value: encodeValue(value) })
  } catch (thrown) {
    send(thrown instanceof TimeUp ? 'late' : 'raised', { id: num(id), ...thrownFields(thrown) })
  } finally {
    cancel(timer)
  }
}

class TimeUp extends Failure {}
