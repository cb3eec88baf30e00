// A JSON schema as a grammar of llama.cpp (GBNF). The library's own grammars make optional properties required, and a model
// that has to fill them in makes something up.

/** A part of a schema that no grammar can express, by the path of its field. */
export class UnfitSchema extends Error {
  constructor (readonly path: string, problem: string) { super(`${path} ${problem}`) }
}

type Schema = Record<string, unknown>

const BASE = `ws ::= | " " | "\\n" [ \\t]{0,20}
char ::= [^"\\\\\\x7F\\x00-\\x1F] | "\\\\" (["\\\\/bfnrt] | "u" [0-9a-fA-F]{4})
string ::= "\\"" char* "\\""
integer ::= "-"? ("0" | [1-9] [0-9]{0,15})
number ::= integer ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,3})?
boolean ::= "true" | "false"
null ::= "null"
value ::= object | array | string | number | boolean | null
object ::= "{" ws (string ":" ws value ("," ws string ":" ws value)*)? ws "}"
array ::= "[" ws (value ("," ws value)*)? ws "]"
`

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

// Keywords that restrict a value in a way that no grammar of a reasonable size can express.
const UNFIT = [
  'pattern', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'uniqueItems', 'minProperties', 'maxProperties',
  'patternProperties', 'propertyNames', 'prefixItems', 'contains', 'not', 'if', 'dependentRequired', 'dependentSchemas',
  'unevaluatedProperties', 'unevaluatedItems'
]

// llama.cpp refuses longer repetitions.
const MOST_REPEATS = 1000
const MOST_RULES = 5000

/** Any JSON object. */
export const ANY_OBJECT = `root ::= object\n${BASE}`

/** A literal text, escaped for a grammar. */
export function literal (text: string): string {
  const escaped = (char: string) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`
  // eslint-disable-next-line no-control-regex -- control characters must be escaped in a grammar
  return `"${text.replace(/["\\]/g, '\\$&').replace(/[\x00-\x1F\x7F]/g, escaped)}"`
}

/** Builds the rules of one grammar. A strict one throws an UnfitSchema where it would allow more than the schema does. */
export class JsonGrammar {
  readonly #isStrict: boolean
  readonly #rules: string[] = []
  #root: Schema = {}
  #refs = new Map<string, string>()

  constructor ({ isStrict }: { isStrict: boolean }) {
    this.#isStrict = isStrict
  }

  /** Adds a schema, and returns the name of its rule. `path` is the field that holds the schema, for error messages. */
  add (schema: Schema, path: string): string {
    this.#root = schema
    this.#refs = new Map()
    return this.#value(schema, path)
  }

  /** The text of the grammar; `root` is the body of its first rule. */
  text (root: string): string {
    return `root ::= ${root}\n${this.#rules.join('\n')}\n${BASE}`
  }

  #value (schema: unknown, path: string): string {
    if (!isObject(schema)) return 'value'
    if (typeof schema.$ref === 'string') return this.#ref(schema.$ref, path)
    for (const keyword of UNFIT) {
      if (keyword in schema) this.#unfit(`${path}.${keyword}`, 'is not supported by the engine of this service')
    }
    if ('const' in schema) return this.#rule(literal(JSON.stringify(schema.const)))
    if (Array.isArray(schema.enum) && schema.enum.length > 0) {
      return this.#rule(schema.enum.map(value => literal(JSON.stringify(value))).join(' | '))
    }
    const choices = schema.anyOf ?? schema.oneOf
    if (Array.isArray(choices) && choices.length > 0 && !('properties' in schema)) {
      const field = `${path}.${schema.anyOf ? 'anyOf' : 'oneOf'}`
      return this.#rule(choices.map((choice, i) => this.#value(choice, `${field}[${i}]`)).join(' | '))
    }
    if (Array.isArray(choices)) {
      this.#unfit(path, 'has alternatives as well as properties, which the engine of this service does not support')
    }
    if (Array.isArray(schema.allOf)) {
      if (schema.allOf.length === 1) return this.#value({ ...schema, allOf: undefined, ...asObject(schema.allOf[0]) }, path)
      this.#unfit(`${path}.allOf`, 'is not supported by the engine of this service')
    }
    const types = [schema.type ?? ('properties' in schema ? 'object' : 'items' in schema ? 'array' : undefined)].flat()
    if (types.length === 1) return this.#typed(types[0], schema, path)
    return this.#rule(types.map(type => this.#typed(type, schema, path)).join(' | '))
  }

  #typed (type: unknown, schema: Schema, path: string): string {
    switch (type) {
      case 'object': return this.#object(schema, path)
      case 'array': return this.#array(schema, path)
      case 'string': return this.#string(schema, path)
      case undefined: return 'value'
      default:
        if (typeof type === 'string' && TYPES.includes(type)) return type
        this.#unfit(`${path}.type`, `must be one of ${TYPES.join(', ')}`)
        return 'value'
    }
  }

  #string ({ minLength, maxLength }: Schema, path: string): string {
    const [least, most] = [this.#count(minLength, `${path}.minLength`), this.#count(maxLength, `${path}.maxLength`)]
    return least === undefined && most === undefined ? 'string' : this.#rule(`"\\"" char{${least ?? 0},${most ?? ''}} "\\""`)
  }

  #array ({ items, minItems, maxItems }: Schema, path: string): string {
    const [least = 0, most] = [this.#count(minItems, `${path}.minItems`), this.#count(maxItems, `${path}.maxItems`)]
    if (most === 0) return this.#rule('"[" ws "]"')
    const item = this.#value(items, `${path}.items`)
    const all = `${item} ("," ws ${item}){${Math.max(least - 1, 0)},${most === undefined ? '' : most - 1}}`
    return this.#rule(`"[" ws ${least > 0 ? all : `(${all})?`} ws "]"`)
  }

  // The required properties come first, so that each optional one can follow with a comma before it.
  #object ({ properties, required, additionalProperties: more }: Schema, path: string): string {
    const known = Object.entries(asObject(properties))
    if (known.length === 0 && more === undefined) return 'object'
    const needed = new Set<unknown>(Array.isArray(required) ? required : [])
    const pair = ([name, schema]: [string, unknown]) => {
      const value = this.#value(schema, `${path}.properties.${name}`)
      return this.#rule(`${literal(JSON.stringify(name))} ":" ws ${value}`)
    }
    const first = known.filter(([name]) => needed.has(name)).map(pair)
    const others = known.filter(([name]) => !needed.has(name)).map(pair)
    const isClosed = more === undefined || more === false
    const any = isClosed ? undefined : this.#rule(`string ":" ws ${this.#value(more, `${path}.additionalProperties`)}`)
    let rest = any === undefined ? '' : this.#rule(`("," ws ${any})*`)
    const begins = any === undefined ? [] : [`${any} ${rest}`]
    for (const other of others.toReversed()) {
      begins.unshift(`${other} ${rest}`)
      rest = this.#rule(`("," ws ${other})? ${rest}`)
    }
    const inside = first.length > 0 ? `${first.join(' "," ws ')} ${rest}` : begins.length > 0 ? `(${begins.join(' | ')})?` : ''
    return this.#rule(`"{" ws ${inside} ws "}"`)
  }

  #ref (ref: string, path: string): string {
    const known = this.#refs.get(ref)
    if (known !== undefined) return known
    const target = ref.startsWith('#') ? this.#find(ref) : undefined
    if (target === undefined) {
      this.#unfit(`${path}.$ref`, 'leads nowhere within the schema')
      return 'value'
    }
    const name = this.#rule('value')
    this.#refs.set(ref, name) // before its own rules are made, because the schema may refer to itself
    this.#rules[Number(name.slice(1))] = `${name} ::= ${this.#value(target, path)}`
    return name
  }

  #find (ref: string): unknown {
    const steps = ref.slice(1).split('/').slice(1).map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    return steps.reduce<unknown>((at, step) => isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined, this.#root)
  }

  #count (value: unknown, path: string): number | undefined {
    if (value === undefined) return undefined
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_REPEATS) return value
    this.#unfit(path, `must be a whole number up to ${MOST_REPEATS} for the engine of this service`)
    return undefined
  }

  #rule (body: string): string {
    if (this.#rules.length >= MOST_RULES) throw new UnfitSchema('the JSON schema', 'is too large for the engine of this service')
    const name = `r${this.#rules.length}`
    this.#rules.push(`${name} ::= ${body}`)
    return name
  }

  #unfit (path: string, problem: string): void {
    if (this.#isStrict) throw new UnfitSchema(path, problem)
  }
}

function asObject (value: unknown): Schema {
  return isObject(value) ? value : {}
}

function isObject (value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
