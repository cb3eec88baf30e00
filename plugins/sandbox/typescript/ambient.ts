// Declarations for programs that need no more. Those of the DOM and of Node take the checker several times as long.

export const BASICS = `
interface Console {
  log(...data: any[]): void; error(...data: any[]): void; warn(...data: any[]): void; info(...data: any[]): void
  debug(...data: any[]): void; table(data?: any, columns?: string[]): void; dir(item?: any, options?: any): void
  trace(...data: any[]): void; assert(condition?: boolean, ...data: any[]): void; clear(): void
  time(label?: string): void; timeEnd(label?: string): void; timeLog(label?: string, ...data: any[]): void
  count(label?: string): void; countReset(label?: string): void
  group(...data: any[]): void; groupCollapsed(...data: any[]): void; groupEnd(): void
}
declare var console: Console
declare function setTimeout<A extends any[]>(callback: (...args: A) => void, ms?: number, ...args: A): number
declare function setInterval<A extends any[]>(callback: (...args: A) => void, ms?: number, ...args: A): number
declare function clearTimeout(id: number | undefined): void
declare function clearInterval(id: number | undefined): void
declare function queueMicrotask(callback: () => void): void
declare function structuredClone<T>(value: T, options?: { transfer?: any[] }): T
declare var performance: { now(): number; timeOrigin: number }
interface ImportMeta { url: string; main?: boolean; filename?: string; dirname?: string }
`

const FUNCTION = '(...args: any[]) => any'

/** The types that all test libraries use. Matchers accept any value. */
const TESTING = `
type TestBody = ((done: any) => any) | (() => any) | ((context: any) => any)
type Row = (name: string, body: ${FUNCTION}, options?: any) => void
interface TestFunction {
  (name: any, body?: TestBody, options?: number | object): void
  (name: any, options: object, body?: TestBody): void
  skip: TestFunction; only: TestFunction; fails: TestFunction; failing: TestFunction; concurrent: TestFunction
  sequential: TestFunction; todo(name: string): void
  each(table: readonly any[] | TemplateStringsArray, ...values: any[]): Row
  for(table: readonly any[] | TemplateStringsArray, ...values: any[]): Row
  extend<F = any>(fixtures: any): TestFunction
  skipIf(condition: any): TestFunction; runIf(condition: any): TestFunction; if(condition: any): TestFunction
}
type Hook = (body: TestBody, timeout?: number) => void
interface Matchers { [matcher: string]: any }
interface ExpectFunction { <T>(value: T, message?: string): Matchers; [word: string]: any }
interface MockFunction<A extends any[] = any[], R = any> {
  (...args: A): R
  new (...args: A): any
  mock: {
    calls: A[]; results: { type: string; value: any }[]; instances: any[]; contexts: any[]; lastCall?: A
    invocationCallOrder: number[]; settledResults: any[]
  }
  [word: string]: any
}
interface Mocks {
  fn<F extends ${FUNCTION}>(body?: F): MockFunction<Parameters<F>, ReturnType<F>> & F
  fn(body?: any): MockFunction
  spyOn(object: any, key: PropertyKey, access?: 'get' | 'set'): MockFunction
  mocked<T>(value: T, options?: any): T & MockFunction
  [word: string]: any
}
`

const EXPORTS = `
export const test: TestFunction, it: TestFunction, describe: TestFunction, suite: TestFunction, context: TestFunction, specify: TestFunction
export const beforeAll: Hook, afterAll: Hook, beforeEach: Hook, afterEach: Hook, before: Hook, after: Hook
export const expect: ExpectFunction, assert: any, should: any, chai: any, expectTypeOf: any, assertType: any
export const onTestFinished: any, onTestFailed: any, mock: any, setSystemTime: any
export const vi: Mocks, vitest: Mocks, jest: Mocks, spyOn: Mocks['spyOn']
export type Mock<F = any> = MockFunction; export type MockInstance<F = any> = MockFunction
export type Mocked<T> = T & Record<string, any>; export type MockedFunction<F = any> = MockFunction
`
const CHAI = `
export const expect: any, assert: any, should: any, use: any, util: any, Assertion: any, AssertionError: any
const chai: any; export default chai
`

const moduleOf = (name: string, body: string) => `declare module '${name}' {${body}}\n`
const globalsOf = (names: string, type: string) => names.split(' ').map(name => `declare const ${name}: ${type}\n`).join('')

/** The modules that tests import. */
export const TEST_MODULES = TESTING
  + ['vitest', '@jest/globals', 'bun:test', 'mocha'].map(name => moduleOf(name, EXPORTS)).join('')
  + moduleOf('chai', CHAI)

export const TEST_GLOBALS = globalsOf('test it describe suite context specify xit xtest fit xdescribe fdescribe', 'TestFunction')
  + globalsOf('beforeAll afterAll beforeEach afterEach before after', 'Hook')
  + globalsOf('vi jest', 'Mocks') + globalsOf('expect', 'ExpectFunction')

export const OTHER_HOSTS = 'declare const Deno: any\ndeclare const Bun: any\n'
