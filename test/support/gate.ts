import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { plugin, tempFolder, write } from './folders.js'

export interface Gate {
  /** The folder of an agent `gated`, whose runs say "waiting", and " done" when the gate opens. */
  dir: string
  open: () => void
}

/** An agent in another process that goes on when a test says so. */
export function gated (t: Test): Gate {
  const dir = tempFolder(t)
  const gate = join(tempFolder(t), 'open')
  write(dir, {
    'gated/index.mjs': plugin('gated', { class_name: 'gated.agent.Gated', init_params: { gate }, description: 'Waits at a gate' }),
    'gated/agent.mjs': `import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export class Gated {
  constructor ({ gate }) { this.gate = gate }
  modelInfo () { return { max_input_tokens: 1000, max_output_tokens: 500 } }
  async * reply (request, signal) {
    yield 'waiting'
    while (!existsSync(this.gate)) await sleep(20, undefined, { signal })
    yield ' done'
  }
}
`
  })
  return { dir, open: () => writeFileSync(gate, '') }
}

/** Reads a stream until a text has come; gives what reads the rest. */
export async function readUntil (response: Response, text: string): Promise<() => Promise<string>> {
  const reader = (response.body ?? new ReadableStream<Uint8Array<ArrayBuffer>>()).getReader()
  const decoder = new TextDecoder()
  let read = ''
  const more = async () => {
    const { done, value } = await reader.read()
    if (value) read += decoder.decode(value, { stream: true })
    return !done
  }
  while (!read.includes(text)) if (!(await more())) throw new Error(`the stream ended without "${text}": ${read}`)
  return async () => {
    while (await more()) continue
    return read
  }
}
