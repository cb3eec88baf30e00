import { stripVTControlCharacters } from 'node:util'
import type { BackendInfo, SandboxInfo } from '../../agents/types.js'
import { isRecord, records, text } from '../../plugins/backend/json.js'
import type { StatusArgs } from './flags.js'
import { ask, urlOf, whoAnswers } from './probe.js'
import { killCommand } from './process.js'
import { findRecord, isCurrent } from './record.js'

/** Prints what runs on an address. Exit code 0: svc runs; 1: nothing runs; 2: another program, or an svc that does not answer. */
export async function status ({ host, port, json }: StatusArgs): Promise<number> {
  const left = await findRecord({ host, port })
  const record = left !== undefined && isCurrent(left) ? left : undefined // the record of a process that is gone does not count
  const address = record ?? { scheme: 'http' as const, host, port }
  const found = await whoAnswers(address)
  const print = (value: object, ...lines: string[]) => console.log(json ? JSON.stringify(value, null, 2) : lines.join('\n'))

  if (found === 'nobody') {
    const start = `npm start${port === 8080 ? '' : ` -- --port ${port}`}`
    print({ status: 'not running', host, port }, `svc is not running on ${host}, port ${port}. Start it: ${start}`)
    return 1
  }
  if (found === 'silence' && record && record.born !== null) {
    const { pid, since } = record
    const stop = `npm stop${port === 8080 ? '' : ` -- --port ${port}`}`
    print(
      { status: 'not answering', host: record.host, port, pid, since },
      `svc (pid ${pid}, since ${new Date(since).toLocaleString()}) has port ${port} on ${host}, and does not answer: `
      + 'it hangs, or is very busy.',
      `  to do    ${stop} asks it to end; ${killCommand(pid)} ends it at once`
    )
    return 2
  }
  if (typeof found === 'string') {
    const other = `npm start -- --port ${port + 1}`
    const line = `Something else than svc listens on ${host}, port ${port}. To start svc on another port: ${other}`
    print({ status: 'foreign', host, port }, line)
    return 2
  }

  const ours = record?.instance === found.instance ? record : undefined
  const { backend, sandbox } = await readinessOf(address)
  const agents = ours?.agents ?? await agentsOf(address)
  const url = urlOf(address)
  print(
    { status: 'running', url, host: address.host, port, pid: ours?.pid ?? null, since: ours?.since ?? null, agents, backend, sandbox },
    `svc is running on ${url} (${ours ? `pid ${ours.pid}, since ${new Date(ours.since).toLocaleString()}` : 'started by somebody else'})`,
    `  agents   ${agents?.join(', ') ?? 'not shown without the API key'}`,
    ...backendLines(backend),
    ...sandboxLines(sandbox)
  )
  return 0
}

/** The lines about the backend. Texts from servers are printed without control sequences of the terminal. */
export function backendLines (backend: BackendInfo | undefined): string[] {
  if (!backend) return ['  backend  unknown']
  const { kind, url, model, context, reason, problem, remedy } = backend
  const shownKind = kind === 'unknown' || url === null ? '' : kind
  const known = [shownKind, `model ${model ?? 'unknown'}`, `context ${context ?? 'unknown'}`].filter(Boolean).join(', ')
  const where = kind === 'none' ? 'none' : `${url ?? 'the engine of this service'} (${known})`
  return [...line('backend', where), ...line('why', reason), ...line('problem', problem), ...line('to do', remedy)]
}

function sandboxLines (sandbox: SandboxInfo | undefined): string[] {
  return sandbox ? [...line('sandbox', sandbox.state), ...line('problem', sandbox.problem)] : []
}

/** The lines of a text, the first one after its name. */
function line (name: string, text: string | null): string[] {
  if (text === null) return []
  return text.split('\n').map((part, at) => `  ${(at === 0 ? name : '').padEnd(8)} ${plain(part)}`)
}

function plain (text: string): string {
  return stripVTControlCharacters(text).replace(/\p{Cc}/gu, ' ')
}

type Address = Parameters<typeof ask>[0]

async function readinessOf (address: Address): Promise<{ backend?: BackendInfo, sandbox?: SandboxInfo }> {
  const answer = await ask(address, '/health/ready', 7000) // a backend may be slow to answer
  if (typeof answer === 'string' || !isRecord(answer.body)) return {}
  const { backend, sandbox } = answer.body
  return { ...(isBackend(backend) && { backend }), ...(isSandbox(sandbox) && { sandbox }) }
}

async function agentsOf (address: Address): Promise<string[] | null> {
  const answer = await ask(address, '/v1/models')
  if (typeof answer === 'string' || answer.status !== 200 || !isRecord(answer.body)) return null
  return records(answer.body.data).map(({ id }) => text(id)).filter(id => id !== null).map(plain)
}

function isBackend (value: unknown): value is BackendInfo {
  if (!isRecord(value)) return false
  const { kind, context = null, ...texts } = value
  return typeof kind === 'string' && (context === null || typeof context === 'number')
    && ['url', 'model', 'reason', 'problem', 'remedy'].every(name => texts[name] === null || typeof texts[name] === 'string')
}

function isSandbox (value: unknown): value is SandboxInfo {
  return isRecord(value) && typeof value.state === 'string' && (value.problem === null || typeof value.problem === 'string')
}
