import { type Procedure, addTest } from '../registry.js'
import { nameOf } from './each.js'

interface Definition { name?: string, fn?: Procedure, ignore?: boolean, only?: boolean }

/** Deno.test(name, body), (body), (options), (options, body), (name, options, body). */
export const denoTest = Object.assign((...args: unknown[]) => define(args, {}), {
  ignore: (...args: unknown[]) => define(args, { ignore: true }),
  only: (...args: unknown[]) => define(args, { only: true })
})

function define (args: unknown[], more: Definition): void {
  const { name, body, ignore, only } = parse(args, more)
  addTest(name, body && (() => body(contextOf(name))), { ...(ignore && { skip: true }), ...(only && { only: true }) })
}

function parse (args: unknown[], more: Definition = {}) {
  const given = args.find((arg): arg is Definition => typeof arg === 'object' && arg !== null) ?? {}
  const body = args.find((arg): arg is Procedure => typeof arg === 'function') ?? given.fn
  const name = args.find(arg => typeof arg === 'string') ?? given.name ?? (body ? nameOf(body) : '')
  return { name, body, ignore: more.ignore ?? given.ignore ?? false, only: more.only ?? given.only ?? false }
}

// A step that fails fails its test, once all of the test was run.
function contextOf (name: string): object {
  return {
    name,
    origin: '',
    async step (...args: unknown[]): Promise<boolean> {
      const { name: step, body, ignore } = parse(args)
      if (ignore || !body) return false
      try {
        await body(contextOf(step))
        return true
      } catch (error) {
        if (error instanceof Error) error.message = `step '${step}': ${error.message}`
        throw error
      }
    }
  }
}
