import t from 'tap'
import { pump } from './support/pump/pump.js'
import { targets } from './support/pump/targets.js'
import { UNITS } from './support/pump/texts.js'
import { tempFolder } from './support/folders.js'

// A sample in each run, all of it in `npm run test:long`. SVC_TEST_SEED=2 takes another sample, SVC_TEST_ONLY=schemas/,routes/
// some of the functions.
const IS_LONG = process.env.SVC_TEST_LONG === '1'
const SEED = Number(process.env.SVC_TEST_SEED ?? 20260101)
const SAMPLE = 8000
const ONLY = process.env.SVC_TEST_ONLY ?? ''

const { targets: found, faults } = targets()

void t.test('every exported function with a text parameter can be called by this test', async (t) => {
  t.strictSame(faults, [])
  t.ok(found.length > 150, `${found.length} ways to call one`)
})

void t.test('for any repeated text, four times the length takes no more than eight times as long', { timeout: 0 }, async (t) => {
  t.ok(UNITS.length >= 200)
  const { tried, of, failures } = await pump({
    targets: found.filter(({ name }) => ONLY.split(',').some(part => name.includes(part))),
    sample: IS_LONG ? undefined : { seed: SEED, count: SAMPLE },
    folder: t.testdir({}),
    home: tempFolder(t),
    within: IS_LONG ? Infinity : 25_000,
    tell: failure => { if (IS_LONG) process.stderr.write(`${failure}\n`) } // comments come at the end
  })
  t.comment(`${tried} of ${of} texts tried on ${found.length} ways to call a function`)
  t.strictSame(failures, [])
})
