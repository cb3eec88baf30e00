import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Bait, Toolchain } from './toolchain.js'

const VARIABLE = 'SVC_SANDBOX_BAIT'

/** Has a toolchain try what must fail. Gives what got through; none, and it may run code. */
export async function selfTest (toolchain: Toolchain, folder: string, signal: AbortSignal): Promise<string[]> {
  const secret = randomBytes(12).toString('hex')
  const dir = join(folder, `bait-${secret.slice(0, 8)}`)
  const reached: string[] = []
  const tcp = createServer(socket => {
    reached.push('a connection to a loopback port')
    socket.destroy()
  })
  const udp = createSocket('udp4', () => reached.push('a datagram to a loopback port'))
  try {
    await mkdir(join(dir, 'open'), { recursive: true })
    const bait: Bait = { json: join(dir, 'bait.json'), text: join(dir, 'bait.txt'), module: join(dir, 'bait.ts'), folder: join(dir, 'open'), secret, port: 0, variable: VARIABLE }
    await Promise.all([
      writeFile(bait.json, JSON.stringify({ secret })),
      writeFile(bait.text, secret),
      writeFile(bait.module, `export default '${secret}'\n`),
      once(tcp.listen(0, '127.0.0.1'), 'listening')
    ])
    const address = tcp.address()
    if (typeof address === 'object' && address !== null) bait.port = address.port
    udp.bind(bait.port, '127.0.0.1')
    await once(udp, 'listening')
    process.env[VARIABLE] = secret
    const leaks = await toolchain.leaks(bait, signal)
    if ((await readdir(bait.folder)).length > 0) reached.push('a file outside of the job')
    return [...new Set([...leaks, ...reached])]
  } finally {
    Reflect.deleteProperty(process.env, VARIABLE)
    tcp.close()
    udp.close()
    await rm(dir, { recursive: true, force: true })
  }
}
