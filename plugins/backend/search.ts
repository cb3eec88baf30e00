import { INSTANCE_HEADER } from '../identity.js'
import { Branches } from './branches.js'
import { type Answer, type DetectOptions, type Detection, ask, detect, isLoading, nameOf } from './detect.js'
import { BackendSlow } from './errors.js'
import { Address } from './http.js'
import { isRecord, text } from './json.js'
import { isCalled } from './servers/models.js'

/** The default addresses of the servers that people run on their own machine. */
export const LOCAL_SERVERS = [
  'http://127.0.0.1:8080/v1', // llama.cpp
  'http://127.0.0.1:11434/v1', // Ollama
  'http://127.0.0.1:1234/v1', // LM Studio
  'http://127.0.0.1:8000/v1', // vLLM, and Lemonade before version 10
  'http://127.0.0.1:13305/v1', // Lemonade
  'http://127.0.0.1:8000/api/v1' // Lemonade before it also answered without /api
]

// The first question must be answered within 280 ms, so that a search without a server takes less than 300 ms. A server that has
// answered it has more time for the further questions.
const FIRST_TIMEOUT = 280
const FURTHER_TIMEOUT = 2000

export interface Found { address: Address, seen: Detection }

export interface SearchResult {
  /** The servers that were found, the best one first. */
  found: Found[]
  /** Addresses where something listens and does not answer. */
  silent: string[]
}

/**
 * Searches all addresses at the same time. Servers that are ready come first in the result, then the order of the candidates counts.
 * No key is sent, because any program could listen at one of the usual ports.
 */
export async function search (candidates: readonly string[], { signal, model }: Omit<DetectOptions, 'key'>): Promise<SearchResult> {
  const branches = new Branches(signal)
  try {
    return await searchWithin(branches, candidates, { model })
  } finally {
    branches.release()
  }
}

async function searchWithin (
  branches: Branches, candidates: readonly string[], { model }: Pick<DetectOptions, 'model'>
): Promise<SearchResult> {
  const addresses = candidates.map(url => new Address(url))
  const glances = await Promise.all(addresses.map(async address => await glance(address, branches.branch())))
  const hosts = new Set<string>()
  const there = addresses.filter(({ url: { host } }, i) => glances[i] === 'server' && !hosts.has(host) && hosts.add(host))
  const found = await Promise.all(there.map(async address => {
    const options = { model, timeout: FURTHER_TIMEOUT, signal: branches.branch() }
    const seen = await detect(address, options).catch(() => undefined) // it has gone, or is too busy
    return seen && { address, seen }
  }))
  return {
    found: found.filter(one => one !== undefined).toSorted((a, b) => rank(a, model) - rank(b, model)),
    silent: addresses.filter((_, i) => glances[i] === 'silence').map(({ shown }) => shown)
  }
}

function rank ({ seen }: Found, wanted: string | undefined): number {
  const state = { ready: 0, unloaded: 1, loading: 2, failed: 3 }[seen.state]
  return wanted === undefined || isCalled(seen.modelState.model, wanted) ? state : state + 4
}

/** Describes a server that was found and is not the one that is used. */
export function describe ({ address, seen }: Found): string {
  const { context, model } = seen.modelState
  const states = { ready: '', unloaded: ', no model loaded', loading: ', still loading', failed: context === null ? ', not usable' : '' }
  return `${nameOf(seen.server, address)} (${model ?? 'no model'}${context === null ? '' : `, context ${context}`}${states[seen.state]})`
}

async function glance (address: Address, signal: AbortSignal | undefined): Promise<'server' | 'silence' | 'other'> {
  const options = { timeout: FIRST_TIMEOUT, signal }
  try {
    const answer = await ask(address, '/v1/models', options)
    return isFromModelServer(answer) && answer.headers[INSTANCE_HEADER] === undefined ? 'server' : 'other'
  } catch (error) {
    return error instanceof BackendSlow ? 'silence' : 'other'
  }
}

function isFromModelServer (answer: Answer): boolean {
  const { status, json } = answer
  if (status === 200) return Array.isArray(json?.data) || (json?.data === null && json.object === 'list') // null: Ollama without a model
  if (status === 401 || status === 403) return isRecord(json?.error) || text(json?.error) !== null || text(json?.detail) !== null
  return isLoading(answer)
}
