import { stripVTControlCharacters } from 'node:util'

/**
 * Columns that a text takes on a terminal. The build puts it in place of string-width, of which yargs brings three: each
 * makes a segmenter and tables of all emoji at load, and asks them for each word of the help that yargs renders at every
 * start. That was a fifth of the time that a start took. The help has nothing but ASCII.
 */
export default function width (text: string): number {
  return stripVTControlCharacters(text).length
}
