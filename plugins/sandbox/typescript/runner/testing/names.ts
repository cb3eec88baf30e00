import type { Suite, Test } from '@vitest/runner'

/** With the groups around it, but not its file. */
export function fullNameOf (task: Test | Suite): string {
  const { suite } = task
  return suite && suite !== suite.file ? `${fullNameOf(suite)} > ${task.name}` : task.name
}
