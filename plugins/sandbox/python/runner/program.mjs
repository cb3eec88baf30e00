/* global TextEncoder */
// A program that is run: its output goes to the process's own streams, its input is given, and the files that it wrote are found
// in memory. It cannot forge a frame, since it never sees the nonce.

const ROOT = '/job'
const MAX_FILES = 21 // one more than the service keeps, so that it knows of the rest
const MAX_BYTES = 1024 * 1024
const MAX_FRAME = 1_900_000
const MAX_ENTRIES = 20_000
const MAX_DEPTH = 50
const MAX_NEEDS = 10

/** Connects the program's streams. `report` sends a message; `streams` are Deno's own. */
export function openProgram (python, { files, stdin }, { streams, report }) {
  const { FS } = python // an interpreter that has exited no longer gives it
  const needs = new Set()
  const need = name => {
    if (!needs.has(name) && needs.size < MAX_NEEDS) report(JSON.stringify({ type: 'need', need: name }))
    needs.add(name)
  }
  const writer = stream => ({ write: bytes => stream.writeSync(bytes) })
  let unread = new TextEncoder().encode(stdin ?? '')
  python.setStdout(writer(streams.stdout))
  python.setStderr(writer(streams.stderr))
  python.setStdin({
    read (buffer) {
      if (stdin === undefined) need('input')
      const part = unread.subarray(0, buffer.length)
      unread = unread.subarray(part.length)
      buffer.set(part)
      return part.length
    }
  })
  return { need, reportFiles: () => reportFiles(FS, files, report) }
}

/** Sends the files of the program's folder that are not as they were given. Links are not followed. */
function reportFiles (FS, given, report) {
  let count = 0
  let entries = 0
  let room = MAX_BYTES
  let isCut = false
  const visit = (folder, depth) => {
    for (const name of FS.readdir(`${ROOT}/${folder}`).sort()) {
      if (name === '.' || name === '..' || name === '__pycache__') continue
      const path = `${folder}${name}`
      const { mode, size } = FS.lstat(`${ROOT}/${path}`)
      if (++entries > MAX_ENTRIES || depth > MAX_DEPTH || size > MAX_BYTES) isCut = true
      else if (FS.isDir(mode)) visit(`${path}/`, depth + 1)
      else if (FS.isFile(mode)) take(path)
    }
  }
  const take = path => {
    const bytes = FS.readFile(`${ROOT}/${path}`)
    const text = textIn(bytes)
    if (count === MAX_FILES || (Object.hasOwn(given, path) && given[path] === text)) return
    const frame = JSON.stringify({ type: 'file', path, text })
    if (text === undefined || bytes.length > room || frame.length > MAX_FRAME) {
      isCut = true
      return
    }
    count++
    room -= bytes.length
    report(frame)
  }
  try {
    visit('', 0)
  } catch {
    isCut = true // the program removed its own folder, or made it unreadable
  }
  if (isCut) report('{"type":"files cut"}')
}

/** The text of a file; undefined where it is no text. */
function textIn (bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
