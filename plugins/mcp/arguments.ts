import { Errors } from 'typebox/value'
import { InvalidRequest } from '../../schemas/errors.js'
import type { Tool } from './tool.js'

type Fault = ReturnType<typeof Errors>[number]

export interface KnownArguments { known: Record<string, unknown>, ignored: string[] }

/** Parts the arguments that a tool knows from the others. Null counts as absent. Throws an error that names the first bad field. */
export function argumentsOf (args: Record<string, unknown> = {}, schema: Tool['input']): KnownArguments {
  const known: Record<string, unknown> = {}
  const ignored: string[] = []
  for (const [name, value] of Object.entries(args)) {
    if (!Object.hasOwn(schema.properties, name)) ignored.push(name)
    else if (value !== null) known[name] = value
  }
  const [fault] = Errors(schema, known)
  if (fault) throw new InvalidRequest(plainWords(fault))
  return { known, ignored }
}

const NOUNS: Record<string, string> = {
  string: 'a string', number: 'a number', integer: 'a whole number', boolean: 'true or false', array: 'an array', object: 'an object'
}

function plainWords ({ keyword, instancePath, params, message }: Fault): string {
  const field = fieldOf(instancePath)
  const { requiredProperties, type, allowedValues, limit } = params as Record<string, unknown>
  switch (keyword) {
    case 'required': return `${[field, [requiredProperties].flat()[0]].filter(Boolean).join('.')} is required`
    case 'type': return `${field} must be ${NOUNS[String(type)] ?? String(type)}`
    case 'enum': return `${field} must be one of ${[allowedValues].flat().join(', ')}`
    case 'minLength': return `${field} must not be empty`
    case 'minimum': return `${field} must be ${String(limit)} or more`
    case 'maximum': return `${field} must be ${String(limit)} or less`
    default: return `${field} ${message}`
  }
}

/** /files/src~1a.py -> files['src/a.py'], /args/0 -> args[0], /messages/1/role -> messages[1].role */
function fieldOf (path: string): string {
  const [name = '', ...rest] = path.slice(1).split('/').map(part => part.replaceAll('~1', '/').replaceAll('~0', '~').slice(0, 200))
  return name + rest.map(part => /^\d+$/.test(part) ? `[${part}]` : /^\w+$/.test(part) ? `.${part}` : `['${part}']`).join('')
}
