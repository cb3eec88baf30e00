// Which file names a model may choose in a person's folder. Only the names are checked here, not the files.

const LONGEST_PATH = 200
const LONGEST_NAME = 120

// Names of devices or streams on some systems.
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$)(?:[ .].*)?$/
// The short names that Windows gives to files with long names: GIT~1 is .git.
const SHORT_NAME = /~\d+(?:\.|$)/
// Control characters, invisible characters, characters that change the order of others, and lone surrogates.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const ESCAPED = new RegExp(`${UNSEEN.source}|[\\\\\`]`, 'gu')

/**
 * Shells, editors, git and package managers read some files whose names begin with a dot without being asked. The files in this
 * list are allowed: they are data, or have an effect only if a person runs a tool or pushes.
 */
const DATA = new Set([
  '.gitignore', '.env.example', '.github', '.editorconfig',
  '.prettierrc', '.prettierrc.json', '.prettierrc.yaml', '.prettierrc.yml', '.prettierrc.toml', '.prettierignore',
  '.eslintrc', '.eslintrc.json', '.eslintrc.yaml', '.eslintrc.yml', '.eslintignore',
  '.stylelintrc', '.stylelintrc.json', '.stylelintignore', '.oxlintrc.json', '.dprint.json',
  '.markdownlint.json', '.markdownlint.yaml', '.yamllint', '.flake8', '.ruff.toml', '.isort.cfg', '.style.yapf'
])

/** Why a file with this path is not written, as the end of a sentence after "since"; undefined if it may be written. */
export function unfit (path: string): string | undefined {
  if (path.length > LONGEST_PATH) return 'the path is too long'
  if (UNSEEN.test(path)) return 'the path has characters that cannot be seen'
  if (path === '' || /[<>:"|?*\\]/.test(path)) return 'the path has characters that are not allowed'
  if (path.startsWith('/') || path.startsWith('~')) return 'the path leads out of the run\'s folder'
  for (const part of path.split('/')) {
    const reason = unfitPart(part)
    if (reason !== undefined) return reason
  }
  return undefined
}

function unfitPart (part: string): string | undefined {
  // Some systems treat a full-width dot like a plain one, and the ³ of COM³ like a digit.
  const name = part.normalize('NFKC').toLowerCase()
  if (name === '' || name === '.' || name === '..') return 'the path leads out of the run\'s folder'
  if (/[. ]$/.test(name)) return 'a name that ends with a dot or a space is another one on Windows'
  if (RESERVED.test(name)) return 'the name is that of a device on Windows'
  if (SHORT_NAME.test(name)) return 'Windows may take the name for the short one of another file'
  const isActedOn = name === 'node_modules' || (name.startsWith('.') && !DATA.has(name))
  if (isActedOn) return 'programs act on files of such a name without being asked'
  if (Buffer.byteLength(part) > LONGEST_NAME) return 'the name is too long'
  return undefined
}

/** A path with its invisible characters escaped, for messages. */
export function visible (path: string): string {
  return path.slice(0, LONGEST_PATH).replace(ESCAPED, character => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}
