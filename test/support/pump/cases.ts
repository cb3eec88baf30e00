import { PREFIXES, RECIPES, type Recipe, SUFFIXES, UNITS, chances } from './texts.js'

/** One text for one target. */
export interface Case { target: number, recipe: Recipe }

export interface Cases { count: number, at: (number: number) => Case }

/** With the same seed it is the same one. */
export interface Sample { seed: number, count: number }

// What once took a function too long. It is always tried first, with all of them.
const KNOWN: readonly [prefix: string, unit: string, suffix: string][] = [
  ['', '/', 'x'], ['```ts\ncode\n', '/', '\n```'],
  ['def f(x):', ' ', 'x'],
  ['function f(a', '\n', ' {'], ['import a\n', '\n', 'x'], ['```python\n', '\n', '\n```'],
  ['', ' as ', ''], ['const a', '$', ''],
  ['', '\n', 'x'], ['', '\n', ''],
  ['def f(', ')', ''],
  ['Input: ', '*', ''],
  ['', '<', ''],
  ['<code>', '\n', 'x'], ['', '<code>\n', ''],
  ['', '\u00a0', 'x'],
  ['', 'def f(a\n', ''], ['', 'def main(a\n', ''], ['', 'export const app_a = 1\n', ''], ['', 'export {', ''], ['', '@click.group(\n', ''],
  ['maximum context length ', 'prompt ', ''],
  ['', '../', 'x'], ['/', '/..', '.py'] // node:path takes the square of that: nobody but the user may give it such a text
]

/** Every text for every target, or a sample of them. */
export function casesOf (targets: number, sample: Sample | undefined): Cases {
  const known = KNOWN.map(([prefix, unit, suffix]) => {
    return { prefix: PREFIXES.indexOf(prefix), unit: UNITS.indexOf(unit), suffix: SUFFIXES.indexOf(suffix) }
  })
  const first = known.flatMap(recipe => Array.from({ length: targets }, (_, target) => ({ target, recipe })))
  const rest = sample === undefined ? everyCase(targets) : sampled(targets, sample)
  return {
    count: first.length + rest.count,
    at: number => first[number] ?? rest.at(number - first.length)
  }
}

function everyCase (targets: number): Cases {
  return {
    count: targets * RECIPES.length,
    at: number => ({ target: Math.floor(number / RECIPES.length), recipe: recipeAt(number % RECIPES.length) })
  }
}

function sampled (targets: number, { seed, count }: Sample): Cases {
  const chance = chances(seed)
  const below = (limit: number) => Math.floor(chance.next().value * limit)
  const cases = Array.from({ length: count }, () => ({ target: below(targets), recipe: recipeAt(below(RECIPES.length)) }))
  return { count, at: number => cases[number] ?? outOfRange(number) }
}

function recipeAt (index: number): Recipe {
  return RECIPES[index] ?? outOfRange(index)
}

function outOfRange (number: number): never {
  throw new RangeError(`there is no case ${number}`)
}
