// vitest's expect.poll: calls a function again and again until the assertion about its result holds.
import { getCurrentTest } from '@vitest/runner'
import { later, now } from '../platform.js'

export interface PollOptions { timeout?: number, interval?: number, message?: string }
interface Counted { assertionCalls?: number }
interface Expect { (value: unknown, message?: string): unknown, getState (): Counted, setState (state: Counted): void }
interface Poll { expect: Expect, read: () => unknown, options: PollOptions }

export function polled (expect: Expect, read: () => unknown, options: PollOptions = {}): unknown {
  return chain([], { expect, read, options })
}

/** Collects the words up to the matcher: `not.toBe`, `to.be.above`. A chain is no promise, so it has no `then`. */
function chain (words: string[], poll: Poll): unknown {
  return new Proxy(() => {}, {
    get: (_target, word) => typeof word === 'symbol' || word === 'then' ? undefined : chain([...words, word], poll),
    apply: (_target, _self, args: unknown[]) => awaited(words, async () => { await tried(words, args, poll) })
  })
}

// It starts when it is awaited. Like vitest, it fails a test that never awaits it.
function awaited (words: string[], run: () => Promise<void>): PromiseLike<void> {
  let begun: Promise<void> | undefined
  const test = getCurrentTest() as { onFinished?: (() => void)[] } | undefined
  if (test) (test.onFinished ??= []).push(() => { if (!begun) throw new Error(`expect.poll().${words.join('.')}() was not awaited`) })
  return { then: (...hands) => (begun ??= run()).then(...hands) }
}

async function tried (words: string[], args: unknown[], { expect, read, options }: Poll): Promise<void> {
  const { timeout = 1000, interval = 50, message } = options
  const { assertionCalls = 0 } = expect.getState()
  for (const end = now() + timeout; ;) {
    try {
      await assert(words, args, expect(await read(), message))
      return
    } catch (error) {
      if (now() > end) throw error
      await new Promise(resolve => later(resolve, interval))
    } finally {
      expect.setState({ assertionCalls: assertionCalls + 1 }) // counts once, however often it was tried
    }
  }
}

async function assert (words: string[], args: unknown[], assertion: unknown): Promise<void> {
  let at = assertion
  for (const word of words.slice(0, -1)) at = Reflect.get(at as object, word)
  await (Reflect.get(at as object, words.at(-1) ?? '') as (...args: unknown[]) => unknown).apply(at, args)
}
