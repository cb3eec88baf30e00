/** What vitest's and jest's useFakeTimers are told. */
export interface TimerOptions {
  now?: number | Date
  /** Only these, if there are any. */
  toFake?: string[]
  toNotFake?: string[]
  /** jest's word for it. */
  doNotFake?: string[]
  /** Time passes by itself, by that many milliseconds at a time. */
  shouldAdvanceTime?: boolean
  advanceTimeDelta?: number
  /** jest's words for it. */
  advanceTimers?: boolean | number
}

const STEP = 20 // as both have it

export function isFaked (name: string, { toFake = [], toNotFake = [], doNotFake = [] }: TimerOptions): boolean {
  if (toNotFake.includes(name) || doNotFake.includes(name)) return false
  return toFake.length === 0 || toFake.includes(name)
}

/** By how much time moves as often as that much passes, if it does. */
export function stepOf ({ shouldAdvanceTime, advanceTimeDelta = STEP, advanceTimers }: TimerOptions): number | undefined {
  if (typeof advanceTimers === 'number') return advanceTimers
  return shouldAdvanceTime === true || advanceTimers === true ? advanceTimeDelta : undefined
}
