import type { Logger } from '../../agents/types.js'

export const silent: Logger = { debug () {}, info () {}, warn () {}, error () {} }

export interface Line { level: keyof Logger, text: string, [detail: string]: unknown }

/** A log that can be read. */
export function readableLog (): { log: Logger, lines: Line[] } {
  const lines: Line[] = []
  const write = (level: keyof Logger) => (details: object, text = '') => { lines.push({ ...details, level, text }) }
  return { log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }, lines }
}
