// vitest's test.extend: what a test takes apart from its context is set up for it, and taken down after it.
import type { Procedure } from '../registry.js'
import { withContext } from './calls.js'
import { namesIn } from './parameters.js'
import { running } from './running.js'

type Values = Map<string, unknown>
interface Fixture { value: unknown, isAuto: boolean }
type Test = Procedure & Record<string, unknown>

/** The test function with these words in the context of what it defines; the later layer of a name sees the earlier one. */
export function extended (test: Procedure, fixtures: object, below: Map<string, Fixture>[] = []): Procedure {
  const layers = [...below, new Map(Object.entries(fixtures).map(([name, given]: [string, unknown]) => [name, fixtureOf(given)]))]
  const wrap = (body: unknown, at: number) => typeof body === 'function' ? withFixtures(body as Procedure, layers, at) : body
  const defining = (define: Procedure, at: number) => (name: unknown, ...args: unknown[]) => define(name, ...args.map(arg => wrap(arg, at)))
  // A function of its own: of one that is frozen a proxy could not give other words.
  return new Proxy(() => {}, {
    apply: (_target, _self, args: unknown[]) => defining(test, 0)(args[0], ...args.slice(1)),
    get (_target, word) {
      const found = (test as Test)[word as string]
      if (word === 'extend') return (more: object) => extended(test, more, layers)
      if (word === 'for') return (...table: unknown[]) => defining((found as Procedure)(...table) as Procedure, 1)
      if (word === 'runIf' || word === 'skipIf' || word === 'if' || word === 'todoIf') return (condition: unknown) => extended((found as Procedure)(condition) as Procedure, {}, layers)
      return typeof found === 'function' && word !== 'each' ? extended(found as Procedure, {}, layers) : found
    }
  })
}

// A value, a function that is given `use`, or either with options. An array of anything else is a value.
function fixtureOf (given: unknown): Fixture {
  const [value, options] = Array.isArray(given) && given.length === 2 && typeof given[1] === 'object' && given[1] !== null && ['auto', 'scope', 'injected'].some(word => word in (given[1] as object)) ? given as [unknown, { auto?: unknown }] : [given, {}]
  return { value, isAuto: options.auto === true }
}

function withFixtures (body: Procedure, layers: Map<string, Fixture>[], at: number): Procedure {
  return withContext(async function (this: unknown, ...args: unknown[]) {
    const context = args[at] as object
    const values: Values = new Map()
    const autos = layers.flatMap(layer => [...layer].filter(([, { isAuto }]) => isAuto).map(([name]) => name))
    const wanted = await contextFor([...autos, ...namesIn(body, at)], { context, layers, values })
    await body.apply(this, [...args.slice(0, at), wanted])
  })
}

interface Ground { context: object, layers: Map<string, Fixture>[], values: Values }

/** The context with the fixtures of these names. One that needs its own name gets that of the layers before it. */
async function contextFor (names: string[], ground: Ground): Promise<object> {
  for (const name of names) await setUp(name, ground, ground.layers.length)
  return withValues(ground, names)
}

async function setUp (name: string, ground: Ground, below: number): Promise<void> {
  if (ground.values.has(name) && below === ground.layers.length) return
  for (let layer = below - 1; layer >= 0; layer--) {
    const fixture = ground.layers[layer]?.get(name)
    if (!fixture) continue
    if (typeof fixture.value !== 'function') return void ground.values.set(name, fixture.value)
    const make = fixture.value as Procedure
    const needed = namesIn(make, 0)
    for (const other of needed) await setUp(other, ground, other === name ? layer : ground.layers.length)
    ground.values.set(name, (await used(make, withValues(ground, needed))).value)
    return
  }
}

// What is not taken apart is there, too, where it was set up for something else.
function withValues ({ context, values }: Ground, names: string[]): object {
  const made = Object.create(context) as Record<string, unknown>
  for (const name of names) if (values.has(name)) Object.defineProperty(made, name, { value: values.get(name), writable: true, enumerable: true, configurable: true })
  return made
}

/** Runs a fixture up to its `use`; the rest of it runs once the test is through. */
function used (make: Procedure, context: object): Promise<{ value: unknown }> {
  return new Promise((resolve, reject) => {
    const run = async () => {
      let isUsed = false
      const made = make(context, (value: unknown) => new Promise<void>(finish => {
        isUsed = true
        running()?.undo.push(async () => { finish(); await made })
        resolve({ value })
      }))
      await made
      if (!isUsed) throw new Error('a fixture ended without a call of use()')
    }
    run().catch(reject)
  })
}
