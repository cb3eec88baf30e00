// The worst requests of a caller: bodies of almost 8 MiB.
const LIMIT = 8 * 1024 * 1024 - 512

const times = (unit, bytes = LIMIT) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)))
/** The body of a chat request with this JSON as its messages, and more fields after it. */
const chat = (model, messages, more = '') => `{"model":"${model}","messages":${messages}${more}}`
const text = (model, content) => chat(model, `[{"role":"user","content":"${content}"}]`)
const several = (unit, bytes) => times(`${unit},`, bytes).slice(0, -1)

/** Texts, escaped for JSON, that are hard for tokenizers, regular expressions and decoders. */
const TEXTS = {
  words: times('the quick brown fox '),
  'one letter': times('a'),
  slashes: times('/'),
  spaces: times(' '),
  newlines: times('\\n'),
  'no-break spaces': times('\u00a0'),
  'escaped letters': times('\\u0041'),
  'escaped quotes': times('\\"'),
  Chinese: times('中文字'),
  emoji: times('👩‍🚀'),
  '<think>': times('<think>'),
  digits: times('1234567890'),
  code: times('def f(x):\\n    return x + 1\\n\\n\\n'),
  'f(((': times('def f())))('),
  'a line, spaces, a letter': `def f(x):${times(' ', 200_000)}x`,
  'a banner of slashes': `\`\`\`ts\\n${times('/', 66)}\\nfunction f(a\\n`,
  '<<<<': times('<', 1_000_000)
}

const texts = model => Object.fromEntries(Object.entries(TEXTS).map(([name, content]) => [name, text(model, content)]))
const one = '{"role":"user","content":"a"}'

const STRUCTURES = {
  'many messages': model => chat(model, `[${several(one)}]`),
  '33,000 messages': model => chat(model, `[${several(`{"role":"user","content":"${'word '.repeat(40)}"}`, 32_900 * 231)}]`),
  'many parts': model => chat(model, `[{"role":"user","content":[${several('{"type":"text","text":"a"}')}]}]`),
  '33,000 parts': model => chat(model, `[{"role":"user","content":[${several(`{"type":"text","text":"${'word '.repeat(40)}"}`, 32_900 * 228)}]}]`),
  'nested brackets': model => chat(model, times('[')),
  '[],[],': model => chat(model, `[${several('[]')}]`),
  '{},{},': model => chat(model, `[${several('{}')}]`),
  'a long key': model => chat(model, `[${one}]`, `,"${times('k')}":1`),
  'unknown keys': model => chat(model, `[${one}]`, `,${Array.from({ length: 99_000 }, (_, i) => `"${String(i).padStart(70, 'k')}":1`).join(',')}`),
  '49,000 shapes': model => chat(model, `[${one}]`, `,"x":[${Array.from({ length: 49_000 }, (_, i) => `{"${String(i).padStart(140, 'k')}":1}`).join(',')}]`),
  'tool calls': model => chat(model, `[{"role":"assistant","content":"","tool_calls":[${several('{"id":"a"}', 40_000 * 11)}]},${one}]`),
  'a key __proto__': model => chat(model, `[${one}]`, `,"__proto__":{},"x":[${several('{"a":{}}', 45_000 * 9)}]`),
  'a number of 8 MB': model => chat(model, `[${one}]`, `,"seed":${times('1')}`),
  'no JSON': () => times('x')
}

const structures = model => Object.fromEntries(Object.entries(STRUCTURES).map(([name, make]) => [name, make(model)]))

/** The bodies by name, for an agent. */
export function requestsTo (model) {
  return { ...texts(model), ...structures(model) }
}

/** Whether a body is one single text, which may take longer because it cannot be parsed in pieces. */
export const isSingleText = name => Object.hasOwn(TEXTS, name)
