import { type Procedure, addHook, addTest } from '../registry.js'
import { nameOf } from './each.js'
import './std-assert.js' // what goes with it stands before any code under test

interface Definition { name?: string, fn?: Procedure, ignore?: boolean, only?: boolean, sanitizeOps?: boolean, sanitizeResources?: boolean, sanitizeExit?: boolean }

const hook = (which: Parameters<typeof addHook>[0]) => (body: Procedure): void => addHook(which, async () => { await body() })

/** Deno.test(name, body), (body), (options), (options, body), (name, options, body). */
export const denoTest = Object.freeze(Object.assign((...args: unknown[]) => define(args, {}), {
  ignore: (...args: unknown[]) => define(args, { ignore: true }),
  only: (...args: unknown[]) => define(args, { only: true }),
  beforeAll: hook('beforeAll'),
  afterAll: hook('afterAll'),
  beforeEach: hook('beforeEach'),
  afterEach: hook('afterEach')
}))

function define (args: unknown[], more: Definition): void {
  const { name, body, ignore, only, isGuarded } = parse(args, more)
  addTest(name, body && (() => run(body, { name, isGuarded })), { ...(ignore && { skip: true }), ...(only && { only: true }) })
}

// Steps stand guard over what others leave open unless all of that is switched off, for them or for what they are in.
function parse (args: unknown[], more: Definition = {}, isGuardedAround = true) {
  const given = args.find((arg): arg is Definition => typeof arg === 'object' && arg !== null) ?? {}
  const body = args.find((arg): arg is Procedure => typeof arg === 'function') ?? given.fn
  const name = args.find(arg => typeof arg === 'string') ?? given.name ?? (body ? nameOf(body) : '')
  const isGuarded = [given.sanitizeOps, given.sanitizeResources, given.sanitizeExit].some(is => is ?? isGuardedAround)
  return { name, body, ignore: more.ignore ?? given.ignore ?? false, only: more.only ?? given.only ?? false, isGuarded }
}

interface Place { name: string, isGuarded: boolean, parent?: object }

/** Runs a test or a step. It fails if a step of it does, or has not ended by then, whether or not it hears of that. */
async function run (body: Procedure, { name, isGuarded, parent }: Place): Promise<void> {
  const under = new Set<{ isGuarded: boolean }>()
  let failure: { thrown: unknown } | undefined
  const context = {
    name,
    origin: '',
    parent,
    async step (...args: unknown[]): Promise<boolean> {
      const { name: title, body: inner, ignore, isGuarded: isStepGuarded } = parse(args, {}, isGuarded)
      if (ignore || !inner) return false
      const step = { isGuarded: isStepGuarded }
      const isAlone = ![...under].some(other => other.isGuarded || step.isGuarded)
      under.add(step)
      try {
        if (!isAlone) throw new Error('it began while another step ran: await each, or switch the sanitizers off')
        await run(inner, { name: title, isGuarded: isStepGuarded, parent: context })
        return true
      } catch (error) {
        if (error instanceof Error) Reflect.set(error, 'message', `step '${title}': ${error.message}`)
        failure ??= { thrown: error }
        return false
      } finally {
        under.delete(step)
      }
    }
  }
  await body(Object.freeze(context))
  if (under.size > 0) throw new Error('a step had not ended when its test did: await it with `await t.step(...)`')
  if (failure) throw failure.thrown
}
