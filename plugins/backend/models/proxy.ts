type Environment = Readonly<Record<string, string | undefined>>

/** The proxy that the usual environment variables name for an address, if any. */
export function proxyFor (url: URL, env: Environment): URL | undefined {
  const read = (name: string) => env[name.toLowerCase()] || env[name.toUpperCase()]
  if (isExcepted(url, read('no_proxy') ?? '')) return undefined
  const proxy = read(`${url.protocol.slice(0, -1)}_proxy`) ?? read('all_proxy')
  if (proxy === undefined) return undefined
  const address = /^[a-z0-9+]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new Error(`the proxy ${proxy} is no http:// or https:// address`)
  }
  return new URL(address)
}

// NO_PROXY lists host names, which include their subdomains, with or without a port; * stands for all.
function isExcepted ({ hostname, port, protocol }: URL, exceptions: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '')
  return exceptions.toLowerCase().split(/[\s,]+/).filter(entry => entry !== '').some(entry => {
    if (entry === '*') return true
    const [, name = entry, only] = /^(.*?)(?::(\d+))?$/.exec(entry.includes('::') ? '' : entry) ?? []
    if (only !== undefined && only !== (port || (protocol === 'https:' ? '443' : '80'))) return false
    const plain = (name || entry).replace(/^\*?\./, '').replace(/^\[|\]$/g, '')
    return host === plain || host.endsWith(`.${plain}`)
  })
}

export function proxyHeaders ({ username, password }: URL): Record<string, string> {
  if (username === '') return {}
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  return { 'proxy-authorization': `Basic ${credentials}` }
}
