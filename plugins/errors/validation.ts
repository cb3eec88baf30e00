// Ajv's errors in plain words that name the field: `messages[0].role is required`.

export interface SchemaError {
  instancePath: string
  keyword: string
  params: Record<string, unknown>
  message?: string
  /** The value at this path (Ajv reports it because `verbose` is on). */
  data?: unknown
}

export function isValidationError (error: unknown): error is { validation: SchemaError[] } {
  return typeof error === 'object' && error !== null && 'validation' in error && Array.isArray(error.validation)
}

const NOUNS: Record<string, string> = {
  string: 'a string', number: 'a number', integer: 'an integer', boolean: 'a boolean', array: 'an array', object: 'an object'
}

/** Describes the errors of a body. If there is no body at all, the text names its `first` required field. */
export function plainWords (errors: SchemaError[], first: string): string {
  // The schemas are written so that Ajv reports one error; if it reports several, the deepest is the most specific.
  const error = errors.reduce((deepest, next) => depth(next) > depth(deepest) ? next : deepest)
  const field = fieldOf(error.instancePath)
  switch (error.keyword) {
    case 'required':
      return `${[field, error.params.missingProperty].filter(Boolean).join('.')} is required`
    case 'type':
      if (field === '') return error.data === null || error.data === undefined ? `${first} is required` : 'The body must be a JSON object'
      return `${field} must be ${typesOf(error.params.type)}`
    case 'minItems':
      return `${field} must not be empty`
    case 'discriminator':
      return discriminated(field, error.params)
    default:
      return `${field || 'The request'} ${error.message ?? 'is not valid'}`
  }
}

function depth (error: SchemaError): number {
  return error.instancePath.split('/').length
}

/** /messages/0/content/1/text -> messages[0].content[1].text */
function fieldOf (path: string): string {
  return path.slice(1).replace(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.')
}

function typesOf (type: unknown): string {
  const names = [type].flat().flatMap(name => String(name).split(',')).filter(name => name !== 'null')
  return names.map(name => NOUNS[name] ?? name).join(' or ')
}

// The API has two unions: messages, which differ by role, and content parts, which differ by type.
function discriminated (field: string, { tag, tagValue }: Record<string, unknown>): string {
  if (tagValue === undefined) return `${field}.${String(tag)} is required`
  if (tag === 'role') return `${field}.role must be one of system, user, assistant, tool`
  return typeof tagValue === 'string'
    ? `${field} has the type "${tagValue.slice(0, 50)}"; only parts of type "text" are taken`
    : `${field}.type must be a string`
}
