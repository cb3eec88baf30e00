import { rename, rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BackendRefused, causeOf } from '../errors.js'
import type { Remote } from './hub.js'
import { amount } from './pace.js'
import { Part } from './part.js'
import { writeReceipt } from './store.js'
import { ask, type WebResponse } from './web.js'

export interface DownloadOptions {
  signal: AbortSignal
  onProgress?: (done: number, total: number | undefined) => void
  /** After how many milliseconds without a byte a connection is given up. */
  stall?: number
  /** How many attempts in a row may fail without progress, and the pause between them in milliseconds, which doubles each time. */
  attempts?: number
  pause?: number
}

// An attempt that fetched this many bytes counts as progress, even if it failed.
const PROGRESS = 1024 * 1024
const LONGEST_PAUSE = 30_000

const RESUME = 'start again to go on from there; HF_ENDPOINT names another hub, --model FILE.gguf a file that you have'

/** A failure that a retry cannot mend. */
class Final extends Error {}

/** Downloads a file, and continues an earlier download. The file gets its final name only once it is complete and checked. */
export async function download (remote: Remote, file: string, options: DownloadOptions): Promise<void> {
  const { signal } = options
  if (remote.size === undefined && remote.sha256 === undefined) {
    const problem = `${remote.url.host} states neither size nor checksum of ${remote.url.pathname}`
    throw new BackendRefused(problem, 'fetch it by other means and give the file with --model')
  }
  const path = `${file}.part`
  const part = await Part.open(path, signal)
  let isChecked = false
  try {
    await refuseFullDisk(remote, dirname(file), part.length)
    await fetchAll(remote, part, options)
    isChecked = true
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof BackendRefused) throw error
    throw new BackendRefused(`${remote.url.host} did not give the model (${reasonOf(error)})`, RESUME)
  } finally {
    await part.close({ sync: isChecked })
    if (part.length === 0) await rm(path, { force: true })
  }
  await writeReceipt(file, { size: part.length, sha256: part.sha256, url: remote.url.href })
  await rename(path, file)
}

async function fetchAll (remote: Remote, part: Part, options: DownloadOptions): Promise<void> {
  const { signal, attempts = 5, pause = 1000 } = options
  let mended = false
  let furthest = part.length // fetching again what was thrown away is no progress
  for (let failures = 0; ;) {
    try {
      await fetchRest(remote, part, options)
      const wrong = await wrongWith(remote, part)
      if (wrong === undefined) return
      await part.empty()
      if (mended) throw new Final(wrong)
      mended = true // the part from an earlier download may have been wrong: fetch everything once more
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Final) throw error
      if (isCode(error, 'ENOSPC')) throw new Final('the disk is full')
      failures = part.length - furthest >= PROGRESS ? 1 : failures + 1
      furthest = Math.max(furthest, part.length)
      if (failures >= attempts) throw error
      await sleep(Math.min(pause * 2 ** (failures - 1), LONGEST_PAUSE), undefined, { signal })
    }
  }
}

async function fetchRest (
  { url, headers, size }: Remote, part: Part, { signal, onProgress = () => {}, stall = 30_000 }: DownloadOptions
): Promise<void> {
  if (part.length > (size ?? Infinity)) await part.empty()
  if (part.length === size) return
  const stalled = new AbortController()
  const timer = setTimeout(() => stalled.abort(new Error(`nothing came for ${stall / 1000} s`)), stall)
  try {
    const range = part.length > 0 ? { range: `bytes=${part.length}-` } : {}
    const response = await ask(url, { headers: { ...headers, ...range }, signal: AbortSignal.any([signal, stalled.signal]) })
    const total = await begin(response, part, size)
    onProgress(part.length, total)
    for await (const chunk of response.body) {
      timer.refresh()
      await part.append(chunk as Buffer)
      if (part.length > (total ?? Infinity)) {
        await part.empty()
        throw new Error('more came than the file has')
      }
      onProgress(part.length, total)
    }
    if (total !== undefined && part.length < total) {
      throw new Error(`the connection was cut at ${amount(part.length)} of ${amount(total)}`)
    }
  } catch (error) {
    throw stalled.signal.aborted ? stalled.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}

/** Checks that the response continues the part that is there, and returns the size of the whole file. */
async function begin ({ status, header, body }: WebResponse, part: Part, size: number | undefined): Promise<number | undefined> {
  if (status !== 200 && status !== 206) {
    body.destroy()
    if (status === 416) await part.empty() // the file has no such rest, so the part must be of another file
    const isFinal = status >= 400 && status < 500 && ![408, 416, 425, 429].includes(status)
    throw isFinal ? new Final(`status ${status}`) : new Error(`status ${status}`)
  }
  let total = length(header('content-length'))
  if (status === 206) {
    const [, from, whole] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(header('content-range') ?? '') ?? []
    if (Number(from) !== part.length) {
      body.destroy()
      await part.empty()
      throw new Error('it sent another part of the file than was asked for')
    }
    total = length(whole)
  } else if (part.length > 0) {
    await part.empty() // the server does not support ranges, and sends the whole file
  }
  if (size !== undefined && total !== undefined && total !== size) {
    body.destroy()
    throw new Error(`it offers ${total} bytes, and the file has ${size}`)
  }
  return size ?? total
}

async function wrongWith ({ sha256 }: Remote, part: Part): Promise<string | undefined> {
  if (!(await part.begins('GGUF'))) return 'what came is no GGUF file'
  if (sha256 === undefined || part.sha256 === sha256) return undefined
  return `the checksum is ${part.sha256.slice(0, 12)}..., and should be ${sha256.slice(0, 12)}...`
}

async function refuseFullDisk ({ size }: Remote, folder: string, have: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const [free, needed] = [bavail * bsize, (size ?? 0) - have]
  if (needed <= free) return
  const problem = `the download takes ${amount(needed)}, and ${amount(free)} are free in ${folder}`
  throw new BackendRefused(problem, 'make room, or name a folder on another disk with --models-dir')
}

function length (text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}

function reasonOf (error: unknown): string {
  return error instanceof Final ? error.message : causeOf(error)
}

function isCode (error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
