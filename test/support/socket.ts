import { connect } from 'node:net'

/** Sends bytes as they are and gives the response as fetch would: for what no client would send. */
export async function exchange (url: string, bytes: string | Buffer): Promise<Response> {
  const { port, hostname } = new URL(url)
  const received = await new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.setEncoding('utf8').on('data', part => { text += String(part) })
    socket.setTimeout(20_000, () => {
      reject(new Error(`the connection is silent for 20 s and open after ${JSON.stringify(text)}`))
      socket.destroy()
    })
    // A server that has said enough may reset a connection on which more was sent than it read.
    socket.once('error', error => text === '' ? reject(error) : resolve(text))
    socket.once('close', () => resolve(text))
  })
  const [head = '', ...rest] = received.replace(/^HTTP\/1\.1 1\d\d [^]*?\r\n\r\n/, '').split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
  if (!status) throw new Error(`no HTTP response: ${JSON.stringify(received)}`)
  const headers = new Headers(lines.map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]))
  return new Response([204, 304].includes(status) ? null : rest.join('\r\n\r\n'), { status, headers })
}

/** A request head and body that end the connection. */
export function request (line: string, headers: string[] = [], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  return [`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...length, ...headers, '', body].join('\r\n')
}
