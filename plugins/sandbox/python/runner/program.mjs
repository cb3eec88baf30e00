/* global TextEncoder */
// A program that is run: what it prints goes to the process's own streams, what it reads is there, and the files that it wrote
// are found in memory. Nothing of it can forge a frame: the nonce stays with the worker.

const PART = 16 * 1024
const HELD_MS = 20
const ROOT = '/job'
const MAX_FILES = 20
const MAX_BYTES = 1024 * 1024
const MAX_FRAME = 1_900_000
const MAX_LOOKS = 20_000
const MAX_DEPTH = 50
const MAX_NEEDS = 10

/** Collects small writes. What was printed is on its way 20 ms later at most, as long as Python runs or waits. */
class Held {
  #bytes = new Uint8Array(PART)
  #length = 0
  #since = 0
  #write

  constructor (stream) {
    this.#write = bytes => { for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at)) }
  }

  add (bytes) {
    if (this.#length + bytes.length > PART) this.flush()
    if (bytes.length > PART) return this.#write(bytes)
    if (this.#length === 0) this.#since = performance.now()
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  flushOld () {
    if (this.#length > 0 && performance.now() - this.#since > HELD_MS) this.flush()
  }

  flush () {
    const length = this.#length
    this.#length = 0 // first: a write that fails is not made twice
    if (length > 0) this.#write(this.#bytes.subarray(0, length))
  }
}

/** `report` sends a frame; `streams` are Deno's own. */
export function openProgram (python, { files, stdin }, { streams, report }) {
  const { FS } = python // of an interpreter that has exited it cannot be had any more
  const held = [new Held(streams.stdout), new Held(streams.stderr)]
  const needs = new Set()
  const need = name => {
    if (!needs.has(name) && needs.size < MAX_NEEDS) report(JSON.stringify({ type: 'need', need: name }))
    needs.add(name)
  }
  const flush = () => { for (const stream of held) stream.flush() }
  const [stdout, stderr] = held.map(stream => ({ write: bytes => { stream.add(bytes); return bytes.length } }))
  let unread = new TextEncoder().encode(stdin ?? '')
  python.setStdout(stdout)
  python.setStderr(stderr)
  python.setStdin({
    read (buffer) {
      flush()
      if (stdin === undefined) need('input')
      const part = unread.subarray(0, buffer.length)
      unread = unread.subarray(part.length)
      buffer.set(part)
      return part.length
    }
  })
  return {
    flush,
    flushOld: () => { for (const stream of held) stream.flushOld() },
    need,
    reportFiles: () => reportFiles(FS, files, report)
  }
}

function reportFiles (FS, given, report) {
  const { found, isCut } = written(FS, given)
  let isAllSent = !isCut
  for (const [path, text] of found) {
    const frame = JSON.stringify({ type: 'file', path, text })
    if (frame.length <= MAX_FRAME) report(frame)
    else isAllSent = false
  }
  if (!isAllSent) report('{"type":"files cut"}')
}

/** Files of the program's folder that are not as they were given. Links are not followed. */
function written (FS, given) {
  const found = []
  let isCut = false
  let room = MAX_BYTES
  let looks = 0
  const look = (folder, depth) => {
    for (const name of FS.readdir(`${ROOT}/${folder}`).sort()) {
      if (name === '.' || name === '..' || name === '__pycache__') continue
      const path = `${folder}${name}`
      const { mode, size } = FS.lstat(`${ROOT}/${path}`)
      if (++looks > MAX_LOOKS || depth > MAX_DEPTH || size > MAX_BYTES) isCut = true
      else if (FS.isDir(mode)) look(`${path}/`, depth + 1)
      else if (FS.isFile(mode)) take(path)
    }
  }
  const take = path => {
    const bytes = FS.readFile(`${ROOT}/${path}`)
    const text = textOf(bytes)
    if (Object.hasOwn(given, path) && given[path] === text) return
    if (text === undefined || bytes.length > room || found.length === MAX_FILES) {
      isCut = true
      return
    }
    room -= bytes.length
    found.push([path, text])
  }
  try {
    look('', 0)
  } catch {
    isCut = true // the program removed its own folder, or made it unreadable
  }
  return { found, isCut }
}

function textOf (bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
