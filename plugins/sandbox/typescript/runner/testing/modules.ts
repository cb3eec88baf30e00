import * as chai from './chai.js'
import * as jest from './jest.js'
import * as vitest from './vitest.js'

/** The test libraries for `require`. For `import` see bundle.mjs. */
export const modules = new Map<string, object>([
  ['vitest', vitest],
  ...['@jest/globals', 'bun:test', 'mocha'].map(name => [name, jest] as const),
  ['chai', chai]
])
