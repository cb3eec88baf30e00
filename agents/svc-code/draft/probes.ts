import type { Call } from '../../types.js'
import { type Literal, callOf, sourceOf } from '../examples/literals.js'

/**
 * Variations of known calls with other arguments: programs that agree on the examples may differ there. The arguments change only
 * a little, so that they stay within what the task allows.
 */
export function probes (known: readonly Call[], most: number): Call[] {
  const seen = new Set(known.map(call => call.expression))
  const found: Call[] = []
  // Goes round by round, so that each known call gets its first variation before any call gets its second.
  const queues = known.map(call => ({ call, variants: variantsOf(call.expression) }))
  for (let round = 0; found.length < most && queues.some(({ variants }) => round < variants.length); round++) {
    for (const { call, variants } of queues) {
      const expression = variants[round]
      if (expression === undefined || seen.has(expression) || found.length >= most) continue
      seen.add(expression)
      found.push({ ...call, expression })
    }
  }
  return found
}

const VARIANTS = 8

function variantsOf (expression: string): string[] {
  const call = callOf(expression)
  if (!call) return []
  const { name, args } = call
  return args
    .flatMap((arg, index) => vary(arg).map(other => `${name}(${args.with(index, other).map(sourceOf).join(', ')})`))
    .slice(0, VARIANTS)
}

function vary (literal: Literal): Literal[] {
  switch (literal.type) {
    case 'number': return varyNumber(literal.source)
    case 'text': return varyText(literal.source)
    case 'pair': return vary(literal.value).map(value => ({ ...literal, value }))
    case 'group': return varyGroup(literal)
    case 'word': return []
  }
}

function varyNumber (source: string): Literal[] {
  const value = Number(source)
  if (!Number.isSafeInteger(value)) return []
  return [value + 1, value * 2 + 1, value + 2, value * 3]
    .filter(other => other !== value)
    .map(other => ({ type: 'number', source: String(other) }))
}

function varyText (source: string): Literal[] {
  const [, prefix = '', quote = '', inner = ''] = /^([rbu]?)(['"])(.*)\2$/s.exec(source) ?? []
  if (quote === '' || inner.includes('\\') || inner.length < 2) return []
  return [inner.slice(1), inner + inner.slice(0, 2), [...inner].reverse().join(''), inner.slice(0, -1), inner + inner]
    .filter(other => other !== inner)
    .map(other => ({ type: 'text', source: `${prefix}${quote}${other}${quote}` }))
}

function varyGroup (group: Literal & { type: 'group' }): Literal[] {
  const { items } = group
  const inside = items.flatMap((item, index) => vary(item).slice(0, 1).map(other => ({ ...group, items: items.with(index, other) })))
  if (group.open !== '[' || items.length < 2) return inside
  return [items.slice(1), items.toReversed(), [...items, ...items.slice(0, 1)], items.slice(0, -1), [...items, ...items]]
    .map(other => ({ ...group, items: other }))
    .concat(inside)
}
