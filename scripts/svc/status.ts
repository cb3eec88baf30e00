import type { BackendInfo, SandboxInfo } from '../../agents/types.js'
import type { StatusArgs } from './flags.js'
import { ask, urlOf, whoAnswers } from './probe.js'
import { findRecord } from './record.js'

/** Exit code 0: it runs; 1: it does not; 2: something else answers there. */
export async function status ({ host, port, json }: StatusArgs): Promise<number> {
  const record = await findRecord({ host, port })
  const address = record ?? { scheme: 'http' as const, host, port }
  const found = await whoAnswers(address)
  const print = (value: object, ...lines: string[]) => console.log(json ? JSON.stringify(value, null, 2) : lines.join('\n'))

  if (found === 'nobody') {
    print({ status: 'not running', host, port }, `svc is not running on ${host}, port ${port}. Start it: npm start${port === 8080 ? '' : ` -- --port ${port}`}`)
    return 1
  }
  if (found === 'other') {
    print({ status: 'foreign', host, port }, `Something else than svc answers on ${host}, port ${port}. To start svc on another port: npm start -- --port ${port + 1}`)
    return 2
  }

  const ours = record?.instance === found.instance ? record : undefined
  const { backend, sandbox } = await readinessOf(address)
  const agents = ours?.agents ?? await agentsOf(address)
  const url = urlOf(address)
  print(
    { status: 'running', url, host: address.host, port, pid: ours?.pid ?? null, since: ours?.since ?? null, agents, backend, sandbox },
    `svc is running on ${url}${ours ? ` (pid ${ours.pid}, since ${new Date(ours.since).toLocaleString()})` : ' (started by somebody else)'}`,
    `  agents   ${agents?.join(', ') ?? 'not told without the API key'}`,
    ...backendLines(backend),
    ...sandboxLines(sandbox)
  )
  return 0
}

export function backendLines (backend: BackendInfo | undefined): string[] {
  if (!backend) return ['  backend  not told']
  const { kind, url, model, context, reason, problem, remedy } = backend
  const known = [kind === 'unknown' || url === null ? '' : kind, `model ${model ?? 'not told'}`, `context ${context ?? 'not told'}`].filter(Boolean).join(', ')
  const where = kind === 'none' ? 'none' : `${url ?? 'the engine of this service'} (${known})`
  return [`  backend  ${where}`, ...(reason === null ? [] : [`  why      ${reason}`]), ...(problem === null ? [] : [`  problem  ${problem}`]), ...(remedy === null ? [] : [`  to do    ${remedy}`])]
}

function sandboxLines (sandbox: SandboxInfo | undefined): string[] {
  if (!sandbox) return []
  return [`  sandbox  ${sandbox.state}`, ...(sandbox.problem === null ? [] : [`  problem  ${sandbox.problem}`])]
}

async function readinessOf (address: Parameters<typeof ask>[0]): Promise<{ backend?: BackendInfo, sandbox?: SandboxInfo }> {
  const answer = await ask(address, '/health/ready', 7000) // a backend may be slow to answer
  return typeof answer === 'string' ? {} : answer.body as { backend?: BackendInfo, sandbox?: SandboxInfo }
}

async function agentsOf (address: Parameters<typeof ask>[0]): Promise<string[] | null> {
  const answer = await ask(address, '/v1/models')
  return typeof answer === 'string' || answer.status !== 200 ? null : (answer.body as { data: Array<{ id: string }> }).data.map(({ id }) => id)
}
