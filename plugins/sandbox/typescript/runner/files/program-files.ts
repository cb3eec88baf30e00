import fs from 'node:fs'
import { replaceModule } from '../stand-ins.js'
import { installDenoFiles } from './deno-files.js'
import { callbackCalls, promisedCalls, streamCalls } from './later.js'
import { type Works, syncCalls } from './node-fs.js'
import { Volume } from './volume.js'

export type { Volume } from './volume.js'

const MAX_FILES = 20
const MAX_BYTES = 1024 * 1024
// Less than a frame of plugins/sandbox/worker.ts may have. JSON can make a text much longer.
const MAX_FRAME = 1_900_000

/** Copies the program's folder into memory and makes all modules for files use it. */
export function openFiles (folder: string, names: string[]): Volume {
  const volume = new Volume(folder)
  for (const name of names) volume.add(`${folder}/${name}`, fs.readFileSync(`${folder}/${name}`))
  const real = fs as unknown as Works
  const sync = syncCalls(volume, real)
  const promises = { ...fs.promises, ...promisedCalls(sync) }
  const whole = { ...real, ...sync, ...callbackCalls(sync), ...streamCalls(sync), promises }
  replaceModule('fs', whole)
  replaceModule('fs/promises', promises)
  installDenoFiles(sync)
  return volume
}

/** The text files that the program wrote, as many as a report may have. */
export function writtenIn (volume: Volume): { files: [path: string, text: string][], isCut: boolean } {
  const files: [string, string][] = []
  let isCut = false
  let room = MAX_BYTES
  for (const [path, bytes] of volume.written()) {
    const text = bytes.length <= room && files.length < MAX_FILES ? textOf(bytes) : undefined
    if (text === undefined || JSON.stringify(text).length > MAX_FRAME) {
      isCut = true
      continue
    }
    room -= bytes.length
    files.push([path, text])
  }
  return { files, isCut }
}

function textOf (bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined // it is no text
  }
}
