// Tests do not measure how long something takes, because the machine may be busy. The benchmarks do (scripts/bench).

/** The milliseconds in which anything that happens at all has happened, even on a busy machine. */
export const SOON = 30_000

/** Waits until a condition holds. */
export async function until (condition: () => boolean, ms = SOON): Promise<void> {
  for (const end = Date.now() + ms; !condition();) {
    if (Date.now() > end) throw new Error(`did not come true within ${ms} ms: ${condition.toString()}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

/** Runs it and returns the CPU time that this process used, in milliseconds. Other work on the machine hardly changes it. */
export async function cpuMs (work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
