import type { TestReport } from '../../agents/types.js'

/** Whether at least one of the tests that passed fails where the functions of the code do nothing. */
export function proves ({ tests }: TestReport, hollow: TestReport): boolean {
  const passed = new Set(hollow.tests.filter(({ outcome }) => outcome === 'passed').map(keyOf))
  return tests.some(test => test.outcome === 'passed' && !passed.has(keyOf(test)))
}

/** Tests that pass against nothing prove nothing. */
export function unproven (report: TestReport): TestReport {
  return { ...report, vouched: false, doubts: [...report.doubts, 'its tests pass where its functions do nothing, too: they prove nothing'] }
}

function keyOf ({ file, name }: TestReport['tests'][number]): string {
  return `${file}\n${name}`
}
