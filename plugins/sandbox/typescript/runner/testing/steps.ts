import { now } from '../platform.js'
import { send } from '../channel.js'
import { thrownFields } from '../thrown.js'

// What is defined while tests run (a step of Deno's, a subtest of node:test) is reported as a test of its own, after those that
// were collected.
export interface StepReport { passed (): void, failed (thrown: unknown): void }

let count = 0
let file = ''

export function countFrom (collected: number, path: string): void {
  count = collected
  file = path
}

export const countAll = (): number => count

export function reportStep (path: string[], skipped: boolean): StepReport {
  const id = count++
  const since = now()
  send('tests', { tests: [{ name: path.join(' > '), file, skipped }] })
  if (!skipped) send('start', { id })
  const tell = (outcome: string, more: object = {}) => { send('test', { id, outcome, ms: now() - since, ...more }) }
  return { passed: () => { tell('passed') }, failed: thrown => { tell('failed', thrownFields(thrown)) } }
}
