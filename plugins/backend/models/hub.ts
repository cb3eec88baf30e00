import { BackendMissing, BackendRefused, causeOf } from '../errors.js'
import type { Listed } from './table.js'
import { type WebResponse, ask, textOf } from './web.js'

/** A file on the hub, with its size and checksum as far as they are known. */
export interface Remote {
  url: URL
  headers: Record<string, string>
  size: number | undefined
  sha256: string | undefined
}

/** `hf:user/repo:QUANT` or `hf:user/repo/file.gguf`. */
export interface HubName { repo: string, quant?: string, file?: string }

// How many milliseconds the hub may take to answer: after that, the machine counts as offline.
const TIMEOUT = 3000

export function parseHubName (name: string): HubName | undefined {
  const [, repo, quant, file] = /^hf:([\w.-]+\/[\w.-]+)(?::([\w.-]+)|\/((?:[\w.-]+\/)*[\w.-]+\.gguf))?$/i.exec(name) ?? []
  if (repo === undefined || /(^|\/)\.{1,2}(\/|$)/.test(`${repo}/${file ?? ''}`)) return undefined
  return file === undefined ? { repo, quant: quant ?? 'Q4_K_M' } : { repo, file }
}

export function hubAddress (): URL {
  const given = process.env.HF_ENDPOINT || 'https://huggingface.co'
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
    throw new BackendRefused(`HF_ENDPOINT is ${given}, which is no address`, 'set it to an address such as https://huggingface.co, or unset it')
  }
  return new URL(given.endsWith('/') ? given : `${given}/`)
}

/** The file of a quantisation. The hub has an endpoint for that question, made for llama.cpp. */
export async function fileOf ({ repo, quant = '', file }: HubName, signal: AbortSignal): Promise<string> {
  if (file !== undefined) return file
  const url = new URL(`v2/${repo}/manifests/${quant}`, hubAddress())
  const response = await askInTime(url, { headers: { 'user-agent': 'llama-cpp', accept: 'application/json', ...key() }, signal })
  if (response.status !== 200) throw refusal(response, `${repo} in ${quant}`)
  const name = fileNameIn(await textOf(response))
  if (name !== undefined) return name
  const remedy = 'give another quantisation (hf:user/repo:Q4_K_M), or the file itself (hf:user/repo/file.gguf)'
  throw new BackendMissing(`${url.host} names no GGUF file of ${repo} in ${quant}`, remedy)
}

/** The address, size and checksum of a file, from the headers of the hub's own reply; the file itself is on another server. */
export async function locate (
  repo: string, file: string, signal: AbortSignal, listed?: Pick<Listed, 'size' | 'sha256'>
): Promise<Remote> {
  if (/-\d{5}-of-\d{5}\.gguf$/.test(file)) {
    throw new BackendRefused(`${file} is one part of several`, 'give a quantisation that is one file, such as hf:user/repo:Q4_K_M')
  }
  const url = new URL(`${repo}/resolve/main/${file}`, hubAddress())
  const headers = key()
  const response = await askInTime(url, { method: 'HEAD', headers, signal }, ({ header }) => header('x-linked-etag') !== undefined)
  response.body.resume()
  if (response.status >= 400) throw refusal(response, `${repo}/${file}`)
  const size = Number(response.header('x-linked-size') ?? response.header('content-length'))
  const etag = /^(?:W\/)?"?([0-9a-f]{64})"?$/i.exec(response.header('x-linked-etag') ?? response.header('etag') ?? '')?.[1]?.toLowerCase()
  const stated = { size: size > 0 ? size : undefined, sha256: etag }
  if (listed && ((stated.sha256 ?? listed.sha256) !== listed.sha256 || (stated.size ?? listed.size) !== listed.size)) {
    const problem = `${url.host} has another ${file} than the one that is known here`
    throw new BackendRefused(problem, `if you trust it, name it as hf:${repo}/${file}`)
  }
  return { url, headers, size: stated.size ?? listed?.size, sha256: stated.sha256 ?? listed?.sha256 }
}

// The key for gated models, from the variable that all tools of the hub use.
function key (): Record<string, string> {
  return process.env.HF_TOKEN ? { authorization: `Bearer ${process.env.HF_TOKEN}` } : {}
}

async function askInTime (
  url: URL, request: Parameters<typeof ask>[1], isEnough?: (response: WebResponse) => boolean
): Promise<WebResponse> {
  const late = AbortSignal.timeout(TIMEOUT)
  try {
    return await ask(url, { ...request, signal: AbortSignal.any([request.signal, late]) }, isEnough)
  } catch (error) {
    request.signal.throwIfAborted()
    const cause = late.aborted ? `no answer within ${TIMEOUT / 1000} s` : causeOf(error)
    throw new BackendMissing(`the model is not on this machine, and ${url.host} cannot be reached (${cause})`, WAYS_OUT)
  }
}

export const WAYS_OUT = 'go online (HTTPS_PROXY and HF_ENDPOINT are heeded), start a server such as Ollama or LM Studio, '
  + 'give a file with --model FILE.gguf, or see how the service works with --model demo'

function refusal ({ status, body }: WebResponse, what: string): BackendMissing | BackendRefused {
  body.resume()
  if (status === 401 || status === 403) {
    const problem = `the hub gives ${what} only to users that it knows (or it does not exist)`
    return new BackendRefused(problem, 'check the name; for a gated model set HF_TOKEN to a key of yours')
  }
  if (status === 404) {
    return new BackendMissing(`the hub has no ${what}`, 'check the name; "npm run model -- list" names models that are known to be there')
  }
  return new BackendRefused(`the hub does not give ${what} now (status ${status})`, 'try again later, or another hub with HF_ENDPOINT')
}

function fileNameIn (text: string): string | undefined {
  try {
    const manifest = JSON.parse(text) as { ggufFile?: { rfilename?: unknown } } | null
    const name = manifest?.ggufFile?.rfilename
    return typeof name === 'string' && /^(?!\/)(?!.*\.\.)[\w./-]+\.gguf$/i.test(name) ? name : undefined
  } catch {
    return undefined // not JSON: for example the login page of a network
  }
}
