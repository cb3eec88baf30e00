import type { TestReport } from '../../agents/types.js'

/** Whether at least one of the tests that passed fails with stubs, where the functions of the code do nothing. */
export function provesSomething ({ tests }: TestReport, withStubs: TestReport): boolean {
  const passed = new Set(withStubs.tests.filter(({ outcome }) => outcome === 'passed').map(keyOf))
  return tests.some(test => test.outcome === 'passed' && !passed.has(keyOf(test)))
}

export function unproven (report: TestReport): TestReport {
  const doubt = 'its tests pass where its functions do nothing, too: they prove nothing'
  return { ...report, vouched: false, doubts: [...report.doubts, doubt] }
}

function keyOf ({ file, name }: TestReport['tests'][number]): string {
  return `${file}\n${name}`
}
