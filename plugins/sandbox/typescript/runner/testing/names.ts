import type { Suite, Test } from '@vitest/runner'

/** The name with those of the groups around it. */
export function fullNameOf (task: Test | Suite): string {
  const { suite } = task
  return suite && suite !== suite.file ? `${fullNameOf(suite)} > ${task.name}` : task.name
}
