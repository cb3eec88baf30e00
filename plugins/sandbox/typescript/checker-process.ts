import type { ChildProcess } from 'node:child_process'
import type { Writable } from 'node:stream'
import type { API } from 'typescript-native/unstable/async'

/** The checker's process, whose time and memory we limit. It is a private field of the interface: its version is pinned in package.json. */
export function processOf (api: API): ChildProcess | undefined {
  const client: unknown = Reflect.get(api, 'client')
  const child: unknown = typeof client === 'object' && client !== null ? Reflect.get(client, 'process') : undefined
  if (!isChild(child)) return undefined
  if (child.stdin) ignoreLostWrites(child.stdin)
  return child
}

function isChild (value: unknown): value is ChildProcess {
  return typeof value === 'object' && value !== null && 'pid' in value && 'kill' in value
}

// When the process has ended, an answer to one of its questions fails with a rejection that the interface does not handle.
function ignoreLostWrites (stdin: Writable): void {
  const write = stdin.write.bind(stdin)
  stdin.write = (data: unknown, ...rest: (BufferEncoding | ((error: null) => void) | undefined)[]) => {
    const [encoding, callback] = [rest.find(part => typeof part === 'string'), rest.find(part => typeof part === 'function')]
    if (!stdin.destroyed) return write(data, encoding ?? 'utf8', () => callback?.(null))
    callback?.(null)
    return false
  }
}
