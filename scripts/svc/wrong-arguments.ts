/** The known commands and flags, where an unknown one was typed. */
export interface Known { commands: readonly string[], flags: readonly string[] }

// The argument that is missing after a command.
const NAMED: Record<string, string> = {
  verify: 'the folder: npm run verify -- DIR',
  'new-agent': 'a name: npm run new-agent -- my-agent',
  pull: 'the model: npm run model -- pull qwen2.5-coder-7b',
  rm: 'the model: npm run model -- rm qwen2.5-coder-7b'
}

/** Turns a message of yargs into one that shows what was typed and what may have been meant. */
export function wrongArguments (message: string, typed: readonly string[], known: Known): string {
  const [, unknown] = /^Unknown arguments?: (.*)$/s.exec(message) ?? []
  const [, lacking] = /^Not enough arguments following: (.*)$/s.exec(message) ?? []
  if (lacking !== undefined) return `${asTyped(lacking, typed) ?? `--${lacking}`} needs a value.`
  const [command = ''] = typed
  if (message.startsWith('Not enough non-option arguments')) return `${command} needs ${NAMED[command] ?? 'a name after it'}`
  if (unknown === undefined) return message
  if (!command.startsWith('-') && !known.commands.includes(command)) return wrongCommand(command, known.commands)
  // yargs names each unknown flag twice: as it was typed, and in its own spelling.
  const flags = [...new Set(unknown.split(', ').map(name => asTyped(name, typed) ?? name))]
  const explain = (flag: string) => flag.startsWith('-')
    ? wrongFlag(flag, known.flags)
    : `"${flag}" has no meaning here; a flag begins with two dashes.`
  return flags.map(explain).join('\n')
}

function wrongCommand (command: string, commands: readonly string[]): string {
  const near = nearest(command, commands)
  return `There is no command ${command}.${near === undefined ? '' : ` Did you mean ${near}?`} Commands: ${commands.join(', ')}.`
}

function wrongFlag (flag: string, flags: readonly string[]): string {
  const near = nearest(flag.replace(/^-+/, ''), flags)
  return `There is no flag ${flag}.${near === undefined ? '' : ` Did you mean --${near}?`}`
}

function asTyped (name: string, typed: readonly string[]): string | undefined {
  const wanted = inKebabCase(name)
  return typed.map(arg => /^--?[^=]+/.exec(arg)?.[0]).find(flag => flag !== undefined && inKebabCase(flag.replace(/^-+/, '')) === wanted)
}

export function inKebabCase (name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

/** The candidate that is most similar to a name, or that begins with it. */
function nearest (name: string, candidates: readonly string[]): string | undefined {
  const word = inKebabCase(name)
  const begun = word.length > 2 ? candidates.find(candidate => candidate.startsWith(`${word}-`)) : undefined
  const [best] = candidates.map(candidate => ({ candidate, slips: slipsBetween(word, candidate) })).sort((a, b) => a.slips - b.slips)
  return best !== undefined && best.slips <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : begun
}

/** The number of typing errors between two names: letters left out, added, mistaken or swapped. */
function slipsBetween (left: string, right: string): number {
  if (left.length > 40) return Infinity
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= left.length; row++) {
    const slips = [row]
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1]
      const isSwapped = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      const at = (up: number, back: number) => (up === 0 ? slips : rows[row - up])?.[column - back] ?? Infinity
      slips.push(Math.min(at(1, 0) + 1, at(0, 1) + 1, at(1, 1) + (isSame ? 0 : 1), isSwapped ? at(2, 2) + 1 : Infinity))
    }
    rows.push(slips)
  }
  return rows[left.length]?.[right.length] ?? Infinity
}
