import { writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { MODULES } from 'pump:modules'
import { ADAPTERS, FURTHER } from './adapters.js'
import { type Sample, casesOf } from './cases.js'
import type { Shape } from './shapes.js'
import { STAND_INS } from './stand-ins.js'
import type { Target } from './targets.js'
import { type Recipe, cook } from './texts.js'

// The process in which the functions are called. It tells of each case before it begins, so that whoever waits knows which one hangs.

export interface Order { targets: Target[], sample: Sample | undefined, from: number, to: number, leftOut: number[] }
/** A case by its number; `short` and `long` are milliseconds. */
export type Report = { type: 'at', number: number } | { type: 'slow', number: number, short: number, long: number } | { type: 'done' }

const SHORT = 16 * 1024
const LONG = 64 * 1024
const UNIMPORTANT = 5 // milliseconds that count for less than they are
const GROWTH = 8
const MOST = 1000
const HOPELESS = 3 * MOST // no busy machine makes that of it
const TRIES = 4
const ENOUGH = 3 // slow texts of one target

type Call = (text: string) => unknown

process.once('message', (order: Order) => { void run(order) })

// Who waits may be ended itself. A call that hangs would never notice, and this process would never end.
const ORPHANED = "const { ppid } = process; setInterval(() => { if (process.ppid !== ppid) process.kill(process.pid, 'SIGKILL') }, 500)"
new Worker(ORPHANED, { eval: true }).unref()

async function run ({ targets, sample, from, to, leftOut }: Order): Promise<void> {
  const calls = targets.map(callOf)
  const slow: number[] = targets.map((_, target) => leftOut.includes(target) ? ENOUGH : 0)
  const cases = casesOf(targets.length, sample)
  for (let number = from; number < to; number++) {
    const { target, recipe } = cases.at(number)
    const call = calls[target]
    if (call === undefined || (slow[target] ?? 0) >= ENOUGH) continue
    report({ type: 'at', number })
    if (!await measure(call, recipe, number)) slow[target] = (slow[target] ?? 0) + 1
  }
  report({ type: 'done' })
  process.exit()
}

/** Another process may have had the machine or the cache: only what is slow every time is slow. */
async function measure (call: Call, recipe: Recipe, number: number): Promise<boolean> {
  const text = cook(recipe, LONG)
  let [short, long] = [Infinity, await timeOf(call, text)]
  if (long <= GROWTH * UNIMPORTANT) return true
  const shortText = cook(recipe, SHORT)
  for (let tries = 0; tries < TRIES; tries++) {
    short = Math.min(short, await timeOf(call, shortText))
    if (long <= MOST && long <= GROWTH * Math.max(UNIMPORTANT, short)) return true
    if (long > HOPELESS) break
    long = Math.min(long, await timeOf(call, text))
  }
  report({ type: 'slow', number, short, long })
  return false
}

/** The processor's time, in milliseconds: it does not grow while others have the processor. */
async function timeOf (call: Call, text: string): Promise<number> {
  const before = process.cpuUsage()
  try {
    await drive(call(text))
  } catch (error) {
    if (error instanceof TypeError && error.message.includes('is not a function')) throw error // called wrongly
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Generators run to their end, promises until they settle. */
async function drive (result: unknown): Promise<void> {
  if (typeof result !== 'object' || result === null) return
  if (result instanceof Promise) return drive(await result)
  if (Symbol.asyncIterator in result && 'next' in result) return drain(result as AsyncIterator<unknown>)
  if (Symbol.iterator in result && 'next' in result) await drain(result as Iterator<unknown>)
}

async function drain (steps: Iterator<unknown> | AsyncIterator<unknown>): Promise<void> {
  while ((await steps.next()).done !== true);
}

function callOf (target: Target): Call {
  if (target.type === 'adapter') return ADAPTERS[target.id] ?? FURTHER[target.id] ?? missing(target)
  const owner = target.path.slice(0, -1).reduce<unknown>(member, MODULES[target.file])
  const found = member(owner, target.path.at(-1) ?? '')
  if (typeof found !== 'function') return missing(target)
  return text => Reflect.apply(found, owner, target.call.map(shape => valueOf(shape, text)))
}

function member (owner: unknown, name: string): unknown {
  return typeof owner === 'object' || typeof owner === 'function' ? (owner as Record<string, unknown> | null)?.[name] : undefined
}

function missing ({ name }: Target): never {
  throw new Error(`${name} is not there`)
}

function valueOf (shape: Shape, text: string): unknown {
  switch (shape.type) {
    case 'text': return text
    case 'undefined': return undefined
    case 'function': return () => undefined
    case 'stand-in': return STAND_INS[shape.name]
    case 'value': return shape.value
    case 'list': return shape.items.map(item => valueOf(item, text))
    case 'record': return Object.fromEntries(shape.entries.map(([name, value]) => [name, valueOf(value, text)]))
  }
}

// Written at once: what hangs sends nothing more.
function report (line: Report): void {
  writeSync(3, `${JSON.stringify(line)}\n`)
}
