import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'

/** Whether a URL leads to the address that this service is about to listen on. */
export async function leadsTo (url: string, { host, port }: { host: string, port: number }): Promise<boolean> {
  const { hostname, port: given, protocol } = new URL(url)
  if (Number(given || (protocol === 'https:' ? 443 : 80)) !== port) return false
  return await reaches(hostname.replace(/^\[|\]$/g, ''), host)
}

/** Whether a request to the host `called` reaches a server that listens on the host `listening`. */
export async function reaches (called: string, listening: string): Promise<boolean> {
  const [theirs, ours] = await Promise.all([addressesOf(called), addressesOf(listening)])
  return theirs.some(address => ours.includes(address)
    || (ours.some(isAny) && (isAny(address) || isLocal(address)))
    || (isAny(address) && ours.some(isLoopback)))
}

async function addressesOf (name: string): Promise<string[]> {
  const found = await lookup(name, { all: true }).catch(() => []) // an unknown name is not this machine
  return found.map(({ address }) => address)
}

const isAny = (address: string) => address === '0.0.0.0' || address === '::'

export function isLoopback (address: string): boolean {
  return address === '::1' || address === 'localhost' || address.startsWith('127.')
}

function isLocal (address: string): boolean {
  return isLoopback(address) || Object.values(networkInterfaces()).some(list => list?.some(entry => entry.address === address))
}
