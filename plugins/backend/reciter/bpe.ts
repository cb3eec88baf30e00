import { spelled } from '../letters.js'

// Byte-pair encoding as in GPT-2: makes the tokenizer of a small model from a text.

const WORD = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|(?:\s(?=\s|$))+|\s/gu

/** The pairs to join, in this order; `a b` stands for a and b. Of equally frequent pairs, the first by the alphabet is taken. */
export function trainMerges (text: string, count: number): string[] {
  const counts = new Map<string, number>()
  for (const word of text.match(WORD) ?? []) counts.set(spelled(word), (counts.get(spelled(word)) ?? 0) + 1)
  let words = Array.from(counts, ([word, count]) => ({ parts: [...word], count }))
  const merges: string[] = []
  while (merges.length < count) {
    const pair = mostFrequent(words)
    if (pair === undefined) break
    merges.push(pair)
    const [left = '', right = ''] = pair.split(' ')
    words = words.map(({ parts, count }) => ({ parts: joined(parts, left, right), count })).filter(({ parts }) => parts.length > 1)
  }
  return merges
}

function mostFrequent (words: readonly { parts: readonly string[], count: number }[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { parts, count } of words) {
    for (let i = 0; i + 1 < parts.length; i++) {
      const pair = `${parts[i]} ${parts[i + 1]}`
      counts.set(pair, (counts.get(pair) ?? 0) + count)
    }
  }
  let best: string | undefined
  let most = 1 // what occurs once is not worth a token
  for (const [pair, count] of counts) {
    if (count > most || (count === most && best !== undefined && pair < best)) [best, most] = [pair, count]
  }
  return best
}

function joined (parts: readonly string[], left: string, right: string): string[] {
  const result: string[] = []
  for (let i = 0; i < parts.length; i++) {
    if (parts[i] === left && parts[i + 1] === right) {
      result.push(left + right)
      i++
    } else {
      result.push(parts[i] ?? '')
    }
  }
  return result
}
