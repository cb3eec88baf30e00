import { resolve } from 'node:path'
import type { InferredOptionTypes, Options } from 'yargs'
import { modelsFolder } from '../../plugins/backend/models/store.js'
import { DEADLINES } from '../../plugins/backend/call-timeout.js'
import { LOCAL_SERVERS } from '../../plugins/backend/search.js'
import { inKebabCase } from './wrong-arguments.js'

/** A mistake of the person who typed the command; the message is for that person. */
export class UsageError extends Error {}

function whole (flag: string, min: number, max: number) {
  return (value: unknown): number => {
    const number = Number(value)
    if (value !== '' && Number.isInteger(number) && number >= min && number <= max) return number
    throw new UsageError(`--${flag} must be a whole number from ${min} to ${max}, and is ${shown(value)}.`)
  }
}

export function seconds (flag: string, { zero = true, max = 2_000_000 } = {}) {
  return (value: unknown): number => {
    const number = Number(value)
    // The default maximum is 23 days: beyond 24 days, a timer of Node fires immediately.
    if (value !== '' && number >= 0 && number <= max && (number > 0 || zero)) return number
    const bound = max < 2_000_000 ? `, ${max} at most` : ''
    throw new UsageError(`--${flag} must be a number of seconds${bound}, and is ${shown(value)}.`)
  }
}

/** A list of addresses, or `none`. */
function addresses (value: unknown): string[] {
  const given = list(value)
  if (given.length === 1 && given[0] === 'none') return []
  return given.map(url => {
    if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
    throw new UsageError(`--backend-search takes addresses such as http://127.0.0.1:1234/v1, or none, and got ${shown(url)}.`)
  })
}

const UNITS: Record<string, number> = { '': 1, k: 1024, kb: 1024, kib: 1024, m: 1024 ** 2, mb: 1024 ** 2, mib: 1024 ** 2 }

function bytes (value: unknown): number {
  const [, number, unit = ''] = /^(\d+) *([a-z]*)$/i.exec(String(value)) ?? []
  const size = Number(number) * (UNITS[unit.toLowerCase()] ?? NaN)
  if (size > 0 && size <= 512 * 1024 ** 2) return size
  throw new UsageError(`--body-limit must be a number of bytes up to 512MiB, such as 1048576 or 8MiB, and is ${shown(value)}.`)
}

export function list (value: unknown): string[] {
  return [value].flat().flatMap(entry => String(entry).split(',')).map(entry => entry.trim()).filter(entry => entry !== '')
}

function origins (value: unknown): string[] {
  return list(value).map((origin) => {
    if (origin === '*' || origin === 'null' || isOrigin(origin)) return origin
    throw new UsageError(`--cors-origin takes origins such as http://localhost:3000, and got ${shown(origin)}.`)
  })
}

/** Whether a text is the origin of a web page, or of an app with a scheme of its own, such as app://obsidian.md. */
function isOrigin (text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, host } = new URL(text)
  return text === `${protocol}//${host}`
}

function aliases (value: unknown): Record<string, string> {
  return Object.fromEntries(list(value).map(entry => {
    const [alias = '', ...id] = entry.split('=')
    if (alias !== '' && id.join('=') !== '') return [alias, id.join('=')]
    throw new UsageError(`--alias takes NAME=AGENT, such as gpt-4o=svc-code, and got ${shown(entry)}.`)
  }))
}

function text (flag: string) {
  return (value: unknown): string => {
    if (Array.isArray(value)) throw new UsageError(`--${flag} is given twice.`)
    if (typeof value !== 'string' || value === '') throw new UsageError(`--${flag} needs a value.`)
    return value
  }
}

function shown (value: unknown): string {
  return Array.isArray(value) ? 'given twice' : JSON.stringify(value)
}

// A flag that is not given is not coerced, so its value stays undefined.
const optional = <T>(coerce: (value: unknown) => T) => (value: unknown): T | undefined => value === undefined ? undefined : coerce(value)

const YES = /^(1|true|yes|on)$/i

function variableOf (flag: string): string {
  return `SVC_${flag.toUpperCase().replaceAll('-', '_')}`
}

/** Replaces the flag at the beginning of a message by its environment variable, if the value comes from there. */
export function blaming (message: string, typed: readonly string[] = process.argv.slice(2)): string {
  return message.replace(/^--([a-z-]+)/, (flag, name: string) => {
    const isTyped = typed.some(arg => inKebabCase(arg.split('=', 1)[0] ?? '') === flag)
    return isTyped || !process.env[variableOf(name)] ? flag : variableOf(name)
  })
}

/** The flags, with defaults from the environment variables `SVC_<FLAG>`. Flags other than switches must have a value. */
export function withEnvironment<T extends Record<string, Options>> (flags: T): T {
  return Object.fromEntries(Object.entries(flags).map(([flag, options]) => {
    const isSwitch = options.type === 'boolean'
    const set = process.env[variableOf(flag)]
    // --help does not print the value from the environment, because it may be a key.
    const isSet = set !== undefined && set !== ''
    const found = isSet ? { default: isSwitch ? YES.test(set) : set, defaultDescription: 'from the environment' } : {}
    return [flag, { ...options, ...(!isSwitch && { requiresArg: true }), ...found }]
  })) as T
}

export const ADDRESS_FLAGS = {
  host: { type: 'string', default: '127.0.0.1', coerce: text('host'), describe: 'Address to listen on; 0.0.0.0 for all' },
  port: { default: 8080, coerce: whole('port', 0, 65535), describe: 'Port to listen on' }
} satisfies Record<string, Options>

export const STATUS_FLAGS = {
  ...ADDRESS_FLAGS,
  json: { type: 'boolean', default: false, describe: 'Print JSON' }
} satisfies Record<string, Options>

export const MODELS_FLAGS = {
  'models-dir': {
    type: 'string', default: modelsFolder(), defaultDescription: 'in the cache folder of the user',
    coerce: (value: unknown) => resolve(text('models-dir')(value)),
    describe: 'Folder for models that are downloaded'
  }
} satisfies Record<string, Options>

export const START_FLAGS = {
  ...ADDRESS_FLAGS,
  debug: { type: 'boolean', default: false, describe: 'Log a trace of each run' },
  'backend-url': {
    type: 'string', coerce: optional(text('backend-url')),
    describe: 'Address of the language model\'s server (any chat-completions server); without it one is looked for'
  },
  'backend-model': {
    type: 'string', coerce: optional(text('backend-model')),
    describe: 'Model to ask for there; the one that is loaded, or the first that it lists, if not given'
  },
  'backend-key': {
    type: 'string', coerce: optional(text('backend-key')),
    describe: 'Key of the server that --backend-url names; it is sent to no other'
  },
  'backend-search': {
    type: 'string', default: [...LOCAL_SERVERS], defaultDescription: 'the usual local ones', coerce: addresses,
    describe: 'Address where a server is looked for if no --backend-url is given, or none; may be repeated'
  },
  model: {
    type: 'string', coerce: optional(text('model')),
    describe: 'Model that this service runs itself: a GGUF file, hf:user/repo:Q4_K_M, a name of "npm run model -- list", or demo'
  },
  pull: { type: 'boolean', default: false, describe: 'Download the model if it is not there' },
  ...MODELS_FLAGS,
  threads: {
    coerce: optional(whole('threads', 1, 1024)), defaultDescription: 'by the cores that may be used',
    describe: 'Processor threads of the model that this service runs'
  },
  'no-gpu': { type: 'boolean', default: false, describe: 'Leave the graphics card alone' },
  'no-embedded': { type: 'boolean', default: false, describe: 'Run no model in this service' },
  'first-token-timeout': {
    default: DEADLINES.firstToken / 1000, coerce: seconds('first-token-timeout', { zero: false }),
    describe: 'Seconds until a model must have begun its reply, loading included'
  },
  'next-token-timeout': {
    default: DEADLINES.nextToken / 1000, coerce: seconds('next-token-timeout', { zero: false }),
    describe: 'Seconds that a model may be silent in the middle of its reply'
  },
  'agents-dir': {
    type: 'string', default: [], defaultDescription: 'none', coerce: list,
    describe: 'Further folder with agents; may be repeated'
  },
  alias: {
    type: 'string', default: [], defaultDescription: 'none', coerce: aliases,
    describe: 'NAME=AGENT: serve an agent under another name, too; may be repeated'
  },
  'api-key': { type: 'string', coerce: optional(text('api-key')), describe: 'Key that callers must send' },
  'cors-origin': {
    type: 'string', default: [], defaultDescription: 'all', coerce: origins,
    describe: 'Origin that browsers may call from; may be repeated'
  },
  'tls-cert': { type: 'string', coerce: optional(text('tls-cert')), describe: 'Certificate file (PEM), to serve https' },
  'tls-key': { type: 'string', coerce: optional(text('tls-key')), describe: 'Its key file (PEM)' },
  'max-runs': { coerce: optional(whole('max-runs', 1, 1_000_000)), defaultDescription: 'no limit', describe: 'Runs at once; more wait' },
  workspace: {
    type: 'string', coerce: optional(text('workspace')),
    describe: 'Folder to which svc-code also writes the files of each run'
  },
  'max-model-calls': {
    coerce: optional(whole('max-model-calls', 1, 1000)), defaultDescription: '8',
    describe: 'Model calls that svc-code may make for a program; a project takes three more for each file'
  },
  'max-model-tokens': {
    coerce: optional(whole('max-model-tokens', 1, 1_000_000_000)), defaultDescription: '200000',
    describe: 'Tokens that svc-code may use in a run'
  },
  'max-model-seconds': {
    coerce: optional(whole('max-model-seconds', 1, 1_000_000)), defaultDescription: '2700',
    describe: 'Seconds after which svc-code asks the model no more in a run'
  },
  'max-queue': {
    coerce: optional(whole('max-queue', 0, 1_000_000)), defaultDescription: 'no limit',
    describe: 'Runs that may wait; more are refused'
  },
  'run-timeout': { default: 3600, coerce: seconds('run-timeout', { zero: false }), describe: 'Seconds that a run may take' },
  drain: { default: 10, coerce: seconds('drain'), describe: 'Seconds that runs are given at the end' },
  'json-keepalive': {
    default: 240, coerce: seconds('json-keepalive'),
    describe: 'Seconds after which a reply that is not streamed sends white space'
  },
  'no-progress': { type: 'boolean', default: false, describe: 'Send no progress in streams' },
  packages: {
    type: 'string', coerce: optional(text('packages')),
    describe: 'node_modules folder whose packages generated TypeScript may import'
  },
  'body-limit': { default: '8MiB', coerce: bytes, describe: 'Size that a request may have' }
} satisfies Record<string, Options>

const SERVING = [
  'debug', 'backend-url', 'backend-model', 'backend-key', 'backend-search', 'first-token-timeout', 'next-token-timeout',
  'model', 'pull', 'models-dir', 'threads', 'no-gpu', 'no-embedded', 'agents-dir', 'packages', 'workspace',
  'max-model-calls', 'max-model-tokens', 'max-model-seconds', 'max-runs', 'max-queue', 'run-timeout', 'no-progress'
] as const satisfies (keyof typeof START_FLAGS)[]

type ServingFlags = Pick<typeof START_FLAGS, typeof SERVING[number]>

/** The flags of a start that do not concern HTTP. */
export const MCP_FLAGS = Object.fromEntries(SERVING.map(flag => [flag, START_FLAGS[flag]])) as ServingFlags

export type ServingArgs = InferredOptionTypes<typeof MCP_FLAGS>

export function refuseContradiction (args: ServingArgs): void {
  if (!args['no-embedded'] || args.model === undefined) return
  throw new UsageError('--model and --no-embedded exclude each other: leave one of them out.')
}

export type AddressArgs = InferredOptionTypes<typeof ADDRESS_FLAGS>
export type StatusArgs = InferredOptionTypes<typeof STATUS_FLAGS>
export type StartArgs = InferredOptionTypes<typeof START_FLAGS>
export type ModelsArgs = InferredOptionTypes<typeof MODELS_FLAGS>
