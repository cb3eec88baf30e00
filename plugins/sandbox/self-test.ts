import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Bait, Toolchain } from './toolchain.js'

const VARIABLE = 'SVC_SANDBOX_BAIT'

/** Has code try to escape from the sandbox. Returns the attempts that succeeded; code may run only where there are none. */
export async function selfTest (toolchain: Toolchain, folder: string, signal: AbortSignal): Promise<string[]> {
  const secret = randomBytes(12).toString('hex')
  const dir = join(folder, `bait-${secret.slice(0, 8)}`)
  const seen: string[] = []
  const tcp = createServer(socket => {
    seen.push('a connection to a loopback port')
    socket.destroy()
  })
  const udp = createSocket('udp4', () => seen.push('a datagram to a loopback port'))
  try {
    await mkdir(join(dir, 'open'), { recursive: true })
    const [json, text, module] = ['bait.json', 'bait.txt', 'bait.ts'].map(name => join(dir, name)) as [string, string, string]
    const bait: Bait = { json, text, module, folder: join(dir, 'open'), secret, port: 0, variable: VARIABLE }
    await Promise.all([
      writeFile(json, JSON.stringify({ secret })),
      writeFile(text, secret),
      writeFile(module, `export default '${secret}'\n`),
      once(tcp.listen(0, '127.0.0.1'), 'listening')
    ])
    const address = tcp.address()
    if (typeof address === 'object' && address !== null) bait.port = address.port
    udp.bind(bait.port, '127.0.0.1')
    await once(udp, 'listening')
    process.env[VARIABLE] = secret
    const escapes = await toolchain.findEscapes(bait, signal)
    if ((await readdir(bait.folder)).length > 0) seen.push('a file outside of the job')
    return [...new Set([...escapes, ...seen])]
  } finally {
    Reflect.deleteProperty(process.env, VARIABLE)
    tcp.close()
    udp.close()
    await rm(dir, { recursive: true, force: true })
  }
}
