// The reply as text: the chosen draft's own words in their order, each file under its path in its final form.
import type { Candidate } from '../draft/candidate.js'
import type { Piece } from '../reply/draft.js'

/** What of a draft goes out after `sent` characters of it went out already. */
export function restOf (candidate: Candidate, sent: number): string {
  return joined(candidate, candidate.draft.pieces.flatMap(piece => partAfter(piece, sent)))
}

/** Another draft than the one whose beginning went out: its files and what follows the first of them. */
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
      // A change of a long file is no file of its own.
      const heading = spliced && piece.file === main ? undefined : path
      text = `${blank(text)}${fileText(heading, piece.file.profile.tagOf(path), files[path] ?? piece.file.source)}\n`
    }
  }
  return text
}

/** A heading wants a blank line before it. */
function blank (text: string): string {
  return text === '' || text.endsWith('\n\n') ? text : text.endsWith('\n') ? `${text}\n` : `${text}\n\n`
}

export function fileText (path: string | undefined, tag: string, source: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(source) + 1))
  return `${path === undefined ? '' : `### ${path}\n`}${fence}${tag}\n${source.trimEnd()}\n${fence}`
}

/** A program that holds fences itself wants a longer one around it. */
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

/** Text after text, with one blank line between them. */
export function below (text: string, more: string): string {
  return `${text.trimEnd()}\n\n${more}`
}
