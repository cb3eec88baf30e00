import { now } from '../platform.js'
import { send } from '../channel.js'
import { thrownFields } from '../thrown.js'

// Steps of Deno's tests and subtests of node:test are known only while tests run. They are reported as tests of their own, after the
// collected ones.
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
  const report = (outcome: string, more: object = {}) => { send('test', { id, outcome, ms: now() - since, ...more }) }
  return { passed: () => { report('passed') }, failed: thrown => { report('failed', thrownFields(thrown)) } }
}
