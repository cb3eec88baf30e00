// Tests never ask how fast something was: the machine may have much else to do. The benches do (scripts/bench).

/** Milliseconds in which whatever happens at all has happened, however busy the machine is. */
export const SOON = 30_000

/** Milliseconds of processor time that work takes in this process. Other work on the machine hardly changes them. */
export async function processorTimeOf (work: () => unknown): Promise<number> {
  const since = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}
