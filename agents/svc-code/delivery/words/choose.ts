import { FRENCH } from './french.js'
import { GERMAN } from './german.js'
import { SPANISH } from './spanish.js'
import { ENGLISH, type Words } from './words.js'

const OTHERS = [GERMAN, SPANISH, FRENCH]
const LOOKED_AT = 4000
const LEAST = 3

/** The sentences in the language of a text; in English if that language is not clear. */
export function wordsFor (text: string): Words {
  const words = text.slice(0, LOOKED_AT).toLowerCase().match(/\p{L}+/gu) ?? []
  const count = ({ signs }: Words) => words.filter(word => signs.includes(word)).length
  const [best] = OTHERS.map(each => ({ each, found: count(each) })).sort((left, right) => right.found - left.found)
  return best && best.found >= LEAST && best.found > count(ENGLISH) ? best.each : ENGLISH
}
