import type { Procedure } from '../registry.js'

interface Call { arguments: unknown[], error: unknown, result: unknown, stack: Error, target: unknown, this: unknown }

/** What is done instead of it, for how many calls, and how it is put back. */
export interface Replacing { original: Procedure, body: Procedure, times: number | undefined, restore?: () => void }

/** node:test's mock of a function: `mock.calls[0].arguments`, `mock.callCount()`. */
export function mockFunction ({ original, body, times, restore: putBack }: Replacing): Procedure {
  if (times !== undefined && !(Number.isInteger(times) && times >= 1)) throw new RangeError(`options.times is to be 1 or more, and is ${String(times)}`)
  let calls: Call[] = []
  let usual = body
  const restore = putBack ?? (() => { usual = original })
  const once = new Map<number, Procedure>()
  const view = Object.freeze({
    get calls () { return [...calls] },
    callCount: () => calls.length,
    resetCalls: () => { calls = [] },
    restore,
    mockImplementation: (body: Procedure) => { usual = body },
    mockImplementationOnce: (body: Procedure, call = calls.length) => { once.set(call, body) }
  })
  // What ran for the last time is put back before it runs, as Node does it.
  const next = (): Procedure => {
    const index = calls.length
    const found = once.get(index) ?? usual
    once.delete(index)
    if (index + 1 === times) restore()
    return found
  }
  const record = (args: unknown[], self: unknown, target: unknown, run: (body: Procedure) => unknown): unknown => {
    const call: Call = { arguments: args, error: undefined, result: undefined, stack: new Error(), target, this: self }
    const body = next()
    try {
      call.result = run(body)
      if (target !== undefined) call.this = call.result
      return call.result
    } catch (thrown) {
      call.error = thrown
      throw thrown
    } finally {
      calls.push(call)
    }
  }
  const mocked: Procedure = new Proxy(original, {
    apply: (_, self, args: unknown[]) => record(args, self, undefined, body => Reflect.apply(body, self, args)),
    construct: (target, args: unknown[], made) => {
      const kind = made === mocked ? target : made
      return record(args, undefined, kind, body => Reflect.construct(body, args, kind) as unknown) as object
    },
    get: (target, key, receiver) => key === 'mock' ? view : Reflect.get(target, key, receiver) as unknown
  })
  return mocked
}
