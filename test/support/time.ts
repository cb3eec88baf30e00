// Tests do not measure speed, because the machine may be busy. The benchmarks do (scripts/bench).

/** A time limit that is long enough for everything, even on a busy machine (milliseconds). */
export const SOON = 30_000

/** The processor time that work takes in this process (milliseconds). Other work on the machine hardly changes it. */
export async function processorTimeOf (work: () => unknown): Promise<number> {
  const since = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}
