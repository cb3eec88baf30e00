import { INSTANCE_HEADER } from '../identity.js'
import { Branches } from './branches.js'
import { type Answer, type DetectOptions, type Seen, ask, detect, isLoading, nameOf } from './detect.js'
import { BackendSlow } from './errors.js'
import { Address } from './http.js'
import { isRecord, text } from './json.js'
import { isCalled } from './servers/models.js'

/** Where the servers that people run at home listen unless they are told otherwise. */
export const LOCAL_SERVERS = [
  'http://127.0.0.1:8080/v1', // llama.cpp
  'http://127.0.0.1:11434/v1', // Ollama
  'http://127.0.0.1:1234/v1', // LM Studio
  'http://127.0.0.1:8000/v1', // vLLM, and Lemonade before version 10
  'http://127.0.0.1:13305/v1', // Lemonade
  'http://127.0.0.1:8000/api/v1' // Lemonade before it also answered without /api
]

// Who does not answer in this time is not there, or too busy to be of use: 300 ms in all, with a margin. Who did has longer to tell of itself.
const GLANCE = 280
const LOOK = 2000

export interface Found { address: Address, seen: Seen }

export interface Findings {
  /** The one to take first. */
  found: Found[]
  /** Addresses where something keeps silent. */
  silent: string[]
}

/**
 * Looks for servers, all at once: those that can be used at once first, then in the order of the candidates.
 * No key is sent: who listens at a usual port is not known.
 */
export async function search (candidates: readonly string[], { signal, model }: Omit<DetectOptions, 'key'>): Promise<Findings> {
  const branches = new Branches(signal) // all addresses are asked at once
  try {
    return await searchWithin(branches, candidates, { model })
  } finally {
    branches.release()
  }
}

async function searchWithin (branches: Branches, candidates: readonly string[], { model }: Pick<DetectOptions, 'model'>): Promise<Findings> {
  const addresses = candidates.map(url => new Address(url))
  const glances = await Promise.all(addresses.map(async address => await glance(address, branches.branch())))
  const hosts = new Set<string>()
  const there = addresses.filter(({ url: { host } }, i) => glances[i] === 'server' && !hosts.has(host) && hosts.add(host))
  const found = await Promise.all(there.map(async address => {
    const seen = await detect(address, { model, patience: LOOK, signal: branches.branch() }).catch(() => undefined) // it went away, or is too busy
    return seen && { address, seen }
  }))
  return {
    found: found.filter(one => one !== undefined).toSorted((a, b) => rank(a, model) - rank(b, model)),
    silent: addresses.filter((_, i) => glances[i] === 'silence').map(({ shown }) => shown)
  }
}

function rank ({ seen }: Found, wanted: string | undefined): number {
  const state = { ready: 0, unloaded: 1, loading: 2, failed: 3 }[seen.state]
  return wanted === undefined || isCalled(seen.sight.model, wanted) ? state : state + 4
}

/** What is told of a server that was found beside the one that was taken. */
export function describe ({ address, seen }: Found): string {
  const { context, model } = seen.sight
  const state = { ready: '', unloaded: ', no model loaded', loading: ', still loading', failed: context === null ? ', not usable' : '' }[seen.state]
  return `${nameOf(seen.server, address)} (${model ?? 'no model'}${context === null ? '' : `, context ${context}`}${state})`
}

async function glance (address: Address, signal: AbortSignal | undefined): Promise<'server' | 'silence' | 'other'> {
  const options = { patience: GLANCE, signal }
  try {
    const answer = await ask(address, '/v1/models', options)
    return speaksOfModels(answer) && answer.headers[INSTANCE_HEADER] === undefined ? 'server' : 'other'
  } catch (error) {
    return error instanceof BackendSlow ? 'silence' : 'other'
  }
}

function speaksOfModels (answer: Answer): boolean {
  const { status, json } = answer
  if (status === 200) return json !== undefined && (Array.isArray(json.data) || (json.data === null && json.object === 'list')) // Ollama without a model
  if (status === 401 || status === 403) return isRecord(json?.error) || text(json?.error) !== null || text(json?.detail) !== null
  return isLoading(answer)
}
