const { Date: RealDate, Reflect: { construct } } = globalThis
const { now } = RealDate

/** What the clock on the wall reads, whoever has put something in the place of Date.now. */
export const realNow = (): number => now()
export const timeOf = (date: number | string | Date): number => new RealDate(date).getTime()
export const dateAt = (time: number): Date => new RealDate(time)

/** A Date that reads the time there. Its `now` is its own: what a test spies on it goes with it. */
export function fakeDate (read: () => number): DateConstructor {
  const Fake = function (...args: unknown[]): unknown {
    if (!new.target) return dateAt(read()).toString()
    return construct(RealDate, args.length === 0 ? [read()] : args, new.target)
  }
  return Object.defineProperties(Fake, {
    ...Object.getOwnPropertyDescriptors(RealDate),
    now: { value: () => read(), writable: true, configurable: true, enumerable: false }
  }) as unknown as DateConstructor
}
