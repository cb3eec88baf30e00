import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { wordsOf } from '../../schemas/errors.js'
import { AgentStartError } from './build.js'
import { Deadline } from './deadline.js'
import type { AgentFolder } from './folders.js'

/** The same plugin. Fastify takes a rejection with null for success, and lets what is thrown before the first await end the process. */
export function telling (plugin: FastifyPluginAsync): FastifyPluginAsync {
  return new Proxy(plugin, {
    apply (target, self, args) {
      try {
        const result: unknown = Reflect.apply(target, self, args)
        return result instanceof Promise ? result.catch(rethrow) : result
      } catch (error) {
        return Promise.reject(told(error))
      }
    }
  })
}

function rethrow (thrown: unknown): never {
  throw told(thrown)
}

function told (thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(wordsOf(thrown), { cause: thrown })
}

type ReadyHook = (done?: (error?: Error) => void) => unknown

/** Hooks that the service waits for before it listens end at a deadline, and their errors name the folder. */
export function hooksWithin (scope: FastifyInstance, folder: AgentFolder, length: number): void {
  const addHook = Reflect.get(scope, 'addHook') as (name: string, hook: ReadyHook) => FastifyInstance
  Object.defineProperty(scope, 'addHook', {
    value (this: FastifyInstance, name: string, hook: ReadyHook) {
      const isAwaited = name === 'onReady' && typeof hook === 'function'
      return addHook.call(this, name, isAwaited ? () => run(hook.bind(this), folder, new Deadline(length, { folder, log: scope.log })) : hook)
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
