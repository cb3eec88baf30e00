import t from 'tap'
import type { Files, TestJob } from '../../../agents/types.js'
import { openSandbox, patience } from './support.js'

// Tests that pass against nothing prove nothing: a claim needs one that fails where the functions of the code do nothing.

const PYTHON = 'class Shop:\n    def __init__(self) -> None:\n        self.goods = {"tea": 3}\n\n    def price(self, name: str) -> int:\n        return self.goods[name]\n\n\ndouble = lambda n: 2 * n\n'
const TYPESCRIPT = `export class Shop {
  goods = new Map([['tea', 3]])
  price (name: string): number { return this.goods.get(name) ?? 0 }
}
export const double = (n: number) => 2 * n
export const pair = (n: number) => ({ n })
`

const JOBS: [what: string, vouched: boolean, job: Pick<TestJob, 'language'> & { files: Files }][] = [
  ['a test that compares', true, { language: 'python', files: { 'shop.py': PYTHON, 'test_shop.py': 'from shop import Shop\n\ndef test_price():\n    assert Shop().price("tea") == 3\n' } }],
  ['a test that compares what a lambda gives', true, { language: 'python', files: { 'shop.py': PYTHON, 'test_shop.py': 'from shop import double\n\ndef test_double():\n    assert double(2) == 4\n' } }],
  ['a test that only calls', false, { language: 'python', files: { 'shop.py': PYTHON, 'test_shop.py': 'from shop import Shop\n\ndef test_price():\n    Shop().price("tea")\n' } }],
  ['a test that compares', true, { language: 'typescript', files: { 'shop.ts': TYPESCRIPT, 'shop.test.ts': "import { expect, test } from 'vitest'\nimport { Shop } from './shop.ts'\ntest('price', () => { expect(new Shop().price('tea')).toBe(3) })\n" } }],
  ['tests that compare what arrows give', true, { language: 'typescript', files: { 'shop.ts': TYPESCRIPT, 'shop.test.ts': "import { expect, test } from 'vitest'\nimport { double, pair } from './shop.ts'\ntest('double', () => { expect(double(2)).toBe(4) })\ntest('pair', () => { expect(pair(2)).toEqual({ n: 2 }) })\n" } }],
  ['a test that only calls', false, { language: 'typescript', files: { 'shop.ts': TYPESCRIPT, 'shop.test.ts': "import { expect, test } from 'vitest'\nimport { double } from './shop.ts'\ntest('double', () => { double(2); expect(1).toBe(1) })\n" } }]
]

const sandbox = openSandbox(t)

for (const [what, vouched, job] of JOBS) {
  void t.test(`${job.language}: ${what}${vouched ? '' : ' proves nothing'}`, async t => {
    const tests = Object.keys(job.files).filter(path => path.includes('test'))
    t.match(await sandbox.test({ ...job, tests }, patience()), { outcome: 'passed', vouched: true, doubts: [] }, 'nobody asked')
    const report = await sandbox.test({ ...job, tests, prove: true }, patience())
    t.match(report, { outcome: 'passed', vouched }, JSON.stringify(report.doubts))
    t.strictSame(report.doubts, vouched ? [] : ['its tests pass where its functions do nothing, too: they prove nothing'])
  })
}
