// The reply as text: the words of the chosen draft, and each of its files in final form under its path.
import type { Candidate } from '../draft/candidate.js'
import type { Piece } from '../reply/draft.js'

/** The rest of a draft, after `sent` characters of it were sent. */
export function restOf (candidate: Candidate, sent: number): string {
  return joined(candidate, candidate.draft.pieces.flatMap(piece => partAfter(piece, sent)))
}

/** For a draft that replaces the first reply: its first file and everything after it. */
export function filesOf (candidate: Candidate): string {
  const { pieces } = candidate.draft
  return joined(candidate, pieces.slice(Math.max(0, pieces.findIndex(({ type }) => type === 'file'))))
}

function partAfter (piece: Piece, sent: number): Piece[] {
  if (piece.type === 'file') return piece.file.at < sent ? [] : [piece]
  const raw = piece.raw.slice(Math.max(0, sent - piece.at))
  return raw === '' ? [] : [{ ...piece, raw }]
}

function joined ({ paths, files, main, spliced }: Candidate, pieces: readonly Piece[]): string {
  let text = ''
  for (const piece of pieces) {
    if (piece.type === 'text') text += piece.raw
    else {
      const path = paths.get(piece.file) ?? ''
      // The changed functions of a long file are not a file of their own, so they get no heading.
      const heading = spliced && piece.file === main ? undefined : path
      text = `${blank(text)}${fileText(heading, piece.file.profile.tagOf(path), files[path] ?? piece.file.source)}\n`
    }
  }
  return text
}

/** The text with a blank line at its end, as a heading needs it. */
function blank (text: string): string {
  return text === '' || text.endsWith('\n\n') ? text : text.endsWith('\n') ? `${text}\n` : `${text}\n\n`
}

export function fileText (path: string | undefined, tag: string, source: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(source) + 1))
  return `${path === undefined ? '' : `### ${path}\n`}${fence}${tag}\n${source.trimEnd()}\n${fence}`
}

/** The longest fence inside a program: the fence around it must be longer. */
function longestRun (source: string): number {
  let most = 0
  for (const line of source.split('\n')) {
    const text = line.trimStart()
    let run = 0
    while (text[run] === '`') run++
    if (run >= 3) most = Math.max(most, run)
  }
  return most
}

/** Joins two texts, with a blank line between them. */
export function below (text: string, more: string): string {
  return `${text.trimEnd()}\n\n${more}`
}
