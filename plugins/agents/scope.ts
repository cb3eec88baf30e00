import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { messageOf } from '../../schemas/errors.js'
import { AgentStartError } from './build.js'
import { Deadline } from './deadline.js'
import type { AgentFolder } from './folders.js'

/**
 * The same plugin, except that it always fails by a rejection with an Error. Fastify takes a rejection with null for success,
 * and an error that a plugin throws before its first await would end the process.
 */
export function rejectingWithErrors (plugin: FastifyPluginAsync): FastifyPluginAsync {
  return new Proxy(plugin, {
    apply (target, self, args) {
      try {
        const result: unknown = Reflect.apply(target, self, args)
        return result instanceof Promise ? result.catch(rethrow) : result
      } catch (error) {
        return Promise.reject(asError(error))
      }
    }
  })
}

function rethrow (thrown: unknown): never {
  throw asError(thrown)
}

function asError (thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown), { cause: thrown })
}

type ReadyHook = (done?: (error?: Error) => void) => unknown

/** Gives the scope's onReady hooks, which the service waits for before it listens, a deadline and errors that name the folder. */
export function hooksWithin (scope: FastifyInstance, folder: AgentFolder, length: number): void {
  const addHook = Reflect.get(scope, 'addHook') as (name: string, hook: ReadyHook) => FastifyInstance
  Object.defineProperty(scope, 'addHook', {
    value (this: FastifyInstance, name: string, hook: ReadyHook) {
      const isAwaited = name === 'onReady' && typeof hook === 'function'
      const limited = () => run(hook.bind(this), folder, new Deadline(length, { folder, log: scope.log }))
      return addHook.call(this, name, isAwaited ? limited : hook)
    }
  })
}

async function run (hook: ReadyHook, folder: AgentFolder, deadline: Deadline): Promise<void> {
  try {
    await deadline.within('its onReady hook', new Promise((resolve, reject) => {
      if (hook.length === 0) resolve(hook())
      else hook(error => { if (error) reject(error); else resolve(undefined) })
    }))
  } catch (error) {
    throw error instanceof AgentStartError ? error : new AgentStartError(folder, undefined, error)
  }
}
