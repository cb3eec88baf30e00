import { stripVTControlCharacters } from 'node:util'

/**
 * How many columns a text takes on a terminal. The build replaces the package string-width, of which yargs loads three versions, by
 * this: each of them makes tables of all emoji when it is loaded, and yargs measures each word of the help at every start. That took
 * a fifth of the start-up time. The help contains only ASCII.
 */
export default function width (text: string): number {
  return stripVTControlCharacters(text).length
}
