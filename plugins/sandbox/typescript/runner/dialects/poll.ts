// vitest's expect.poll: the words after it are said of what the function gives, again and again until they hold.
import * as chai from 'chai'
import { later, now } from '../platform.js'
import { running } from './running.js'
import type { Awaitable } from './task.js'

export interface PollOptions { timeout?: number, interval?: number, message?: string }

/** `begin` makes the assertion of the first try, which is the one that counts. */
export function polled (read: () => unknown, begin: (value: unknown, message?: string) => unknown, options: PollOptions = {}): unknown {
  return chain([], { read, begin, options })
}

interface Poll { read: () => unknown, begin: (value: unknown, message?: string) => unknown, options: PollOptions }

/** Words up to the matcher: `not.toBe`, `to.be.above`. A chain is no promise, so it has no `then`. */
function chain (words: string[], poll: Poll): unknown {
  return new Proxy(() => {}, {
    get: (_target, word) => typeof word === 'symbol' || word === 'then' ? undefined : chain([...words, word], poll),
    apply: (_target, _self, args: unknown[]) => promised(words, () => tried(words, args, poll))
  })
}

// It begins once it is waited for. vitest fails a test that does not: nothing was asserted.
function promised (words: string[], run: () => Promise<void>): Awaitable<void> {
  let made: Awaitable<void> | undefined
  const test = running()
  test?.onFinished.push(() => { if (!made) throw new Error(`expect.poll().${words.join('.')}() was not awaited`) })
  const start = () => (made ??= test ? test.task.wait(run()) : run())
  return {
    then: (...hands) => start().then(...hands),
    catch: hand => start().catch(hand),
    finally: hand => start().finally(hand)
  }
}

async function tried (words: string[], args: unknown[], { read, begin, options: { timeout = 1000, interval = 50, message } }: Poll): Promise<void> {
  begin(undefined, message)
  for (const end = now() + timeout; ;) {
    try {
      const value = await read()
      await said(words, args, chai.expect(value, message))
      return
    } catch (error) {
      if (now() > end) throw error
      await new Promise(resolve => later(resolve, interval))
    }
  }
}

async function said (words: string[], args: unknown[], assertion: unknown): Promise<void> {
  let self: unknown
  let word = assertion
  for (const name of words) {
    self = word
    word = Reflect.get(word as object, name)
  }
  if (typeof word !== 'function') throw new TypeError(`expect.poll().${words.join('.')} is not a function`)
  await Reflect.apply(word, self, args)
}
