import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type * as Client from 'typescript-native/unstable/async'

const NAME = 'typescript-native'
const TRANSPORT = ['messages', 'connection', 'api']
const PARTS = ['is', 'scanner', 'factory', 'utils'].map(part => `${NAME}/unstable/ast/${part}`)

/** Loads the client of the native checker part by part. As a whole it would block the event loop for 25 ms. */
export async function loadClient (): Promise<typeof Client> {
  for (const file of transport()) {
    require(file)
    await nextTurn()
  }
  for (const part of PARTS) {
    await import(part)
    await nextTurn()
  }
  await import('typescript-native/unstable/ast')
  return await import('typescript-native/unstable/async')
}

const require = createRequire(import.meta.url)

/** The files that read and write messages, by the package's internal names. A version with other names is loaded as a whole. */
function transport (): string[] {
  try {
    const own = createRequire(join(dirname(require.resolve(`${NAME}/package.json`)), 'index.js'))
    const main = own.resolve('#vscode-jsonrpc/node')
    return [...TRANSPORT.map(part => own.resolve(join(dirname(main), '..', 'common', part))), main]
  } catch {
    return []
  }
}
