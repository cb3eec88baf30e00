import { Failure } from './platform.js'

let isOurs: (value: object) => boolean = () => false

/** The code under test was about to end the process. */
export class ExitCalled extends Failure {
  override name = 'ExitCalled'
  // Unlike its name, nothing else can be given this.
  readonly #mark = true

  static {
    isOurs = value => #mark in value
  }
}

export function isExit (thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && isOurs(thrown)
}
