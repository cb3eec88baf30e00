import t from 'tap'
import { ANY_OBJECT, JsonGrammar, literal } from '../../../../plugins/backend/embedded/child/json-grammar.js'

// A JSON schema as a grammar: what it allows is what the schema allows, and what no grammar can hold is refused by its path.

function grammarOf (schema: Record<string, unknown>, isStrict = true): string {
  const grammar = new JsonGrammar({ isStrict })
  return grammar.text(grammar.add(schema, 'schema'))
}

/** The rules of its own, without what all grammars share. */
const rulesOf = (schema: Record<string, unknown>, isStrict = true) => grammarOf(schema, isStrict).split('\nws ::=', 1)[0] ?? ''

void t.test('each kind of schema has its rules', async t => {
  const rules: [schema: Record<string, unknown>, rules: RegExp][] = [
    [{}, /^root ::= value\n$/],
    [{ type: 'object' }, /^root ::= object\n$/],
    [{ type: 'integer' }, /^root ::= integer\n$/],
    [{ type: ['string', 'null'] }, /r0 ::= string \| null/],
    [{ const: 'a"b' }, /r0 ::= "\\"a\\\\\\"b\\""/],
    [{ enum: ['red', 1, null] }, /r0 ::= "\\"red\\"" \| "1" \| "null"/],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, /string \| number/],
    [{ oneOf: [{ type: 'boolean' }, { const: 3 }] }, /boolean \| r0/],
    [{ allOf: [{ type: 'string' }] }, /^root ::= string\n/],
    [{ type: 'string', minLength: 2, maxLength: 5 }, /"\\"" char\{2,5\} "\\""/],
    [{ type: 'string', minLength: 1 }, /char\{1,\}/],
    [{ type: 'array', items: { type: 'number' } }, /"\[" ws \(number \("," ws number\)\{0,\}\)\? ws "\]"/],
    [{ items: { type: 'number' }, minItems: 2, maxItems: 3 }, /"\[" ws number \("," ws number\)\{1,2\} ws "\]"/],
    [{ type: 'array', maxItems: 0 }, /"\[" ws "\]"/],
    [{ properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a', 'b'] }, /"\\"a\\"" ":" ws string[^]*"\\"b\\"" ":" ws number[^]*"\{" ws r0 "," ws r1 {2}ws "\}"/],
    [{ properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['b'] }, /"\{" ws r0 r2 ws "\}"/],
    [{ properties: { a: { type: 'string' } }, additionalProperties: false }, /"\{" ws \(r0 \)\? ws "\}"/],
    [{ type: 'object', additionalProperties: { type: 'number' } }, /string ":" ws number[^]*\("," ws r0\)\*/],
    [{ type: 'object', additionalProperties: false }, /"\{" ws {2}ws "\}"/],
    [{ $ref: '#/$defs/a', $defs: { a: { type: 'boolean' } } }, /r0 ::= boolean/],
    [{ $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'null' } } }, /r0 ::= null/],
    [{ properties: { next: { $ref: '#' } } }, /"\\"next\\"" ":" ws r0/]
  ]
  for (const [schema, wanted] of rules) t.match(rulesOf(schema), wanted, JSON.stringify(schema))
  t.match(ANY_OBJECT, /^root ::= object\n/)
  t.equal(literal('a\n"\x7f'), '"a\\x0a\\"\\x7f"')
})

void t.test('what no grammar can hold is refused by its path, or left open where nothing was promised', async t => {
  const unfit: [schema: Record<string, unknown>, message: RegExp][] = [
    [{ type: 'string', pattern: 'a+' }, /^schema\.pattern is not supported/],
    [{ properties: { n: { type: 'number', minimum: 1 } } }, /^schema\.properties\.n\.minimum is not supported/],
    [{ type: 'text' }, /^schema\.type must be one of object, array/],
    [{ type: 'string', maxLength: 5000 }, /^schema\.maxLength must be a whole number up to 1000/],
    [{ type: 'array', minItems: -1 }, /^schema\.minItems must be a whole number/],
    [{ anyOf: [{ type: 'string' }], properties: { a: {} } }, /^schema has alternatives as well as properties/],
    [{ allOf: [{ type: 'string' }, { minLength: 1 }] }, /^schema\.allOf is not supported/],
    [{ $ref: '#/nowhere' }, /^schema\.\$ref leads nowhere/],
    [{ $ref: 'other.json' }, /^schema\.\$ref leads nowhere/]
  ]
  for (const [schema, message] of unfit) {
    t.throws(() => rulesOf(schema), { message }, JSON.stringify(schema))
    t.doesNotThrow(() => rulesOf(schema, false))
  }
  const large = { properties: Object.fromEntries(Array.from({ length: 2600 }, (_, i) => [`p${i}`, { type: 'string' }])) }
  t.throws(() => grammarOf(large, false), { message: /is too large for the engine/ })
})
