// What code imports by the names of test libraries: the files of those names hold nothing but what is here.
import { defineProperty, freeze } from '../platform.js'
import { extendForBun } from './bun-words.js'
import * as chai from './chai.js'
import { expect } from './expect.js'
import * as nodeTest from './node-test.js'
import * as stdAssert from './std-assert.js'
import * as vitest from './vitest.js'

const bun = freeze({ ...vitest })

export const shims = {
  vitest: { ...vitest },
  get bun () {
    extendForBun()
    return bun
  },
  chai: { ...chai },
  'node-test': { ...nodeTest },
  'std-assert': { ...stdAssert }
}

/** Nothing of it can be replaced; `expect` and chai have locks of their own. */
export function installShims (): void {
  const seen = new Set<unknown>([expect, ...Object.values(chai)])
  close(shims, seen)
  close(chai.default, seen, false)
  defineProperty(globalThis, Symbol.for('svc.dialects'), { value: shims, writable: false, configurable: false, enumerable: false })
}

function close (value: unknown, seen: Set<unknown>, isDeep = true): void {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || (isDeep && seen.has(value))) return
  seen.add(value)
  if (isDeep) for (const { value: inner } of Object.values(Object.getOwnPropertyDescriptors(value))) if (typeof inner === 'object' || typeof inner === 'function') close(inner, seen)
  freeze(value)
}
