import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { fence, part, startTalk } from '../../support/talk.js'

// Programs that are more than a function: they are delivered in full, run as far as possible, and the reply says what was not run.

const started = startTalk(t)

void t.test('a script is run, and its output is shown', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const { text, steps, claim } = await talk(part({ answer: [`${fence('total = sum(range(1, 101))\nprint(f"The sum is {total}")')}\n`] }), 'Calculate the sum of the numbers from 1 to 100 with a script')
  t.strictSame(steps, ['answer'])
  t.equal(claim, 'unverified')
  t.match(text, /### Verification\nunverified: it ran to its end here; you gave no expected output[^]*It printed:\n\n````text\nThe sum is 5050\n````/)
})

void t.test('a script is started with the input of the user\'s example, and written again if its output is wrong', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const script = (operator: string) => fence(`import sys\n\nnumbers = [int(line) for line in sys.stdin if line.strip()]\nprint(sum(numbers) ${operator} 1)`)
  const { text, claim, steps } = await talk(part({ answer: [script('+')], write: [script('*')], repair: [script('*')] }), 'Write a Python script that reads numbers from stdin, one a line, and prints their sum.\n\nInput:\n```\n1\n2\n3\n```\nOutput:\n```\n6\n```')
  t.equal(claim, 'verified', text)
  t.match(text, /sum\(numbers\) \* 1[^]*### Verification\nverified: it was started here with your input, and it prints what you expect/)
  t.notMatch(text, /sum\(numbers\) \+ 1/)
  t.ok(steps.length <= 4)
})

void t.test('a server keeps its routes and what it listens on, and is not claimed to work', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const server = `import { createServer } from 'node:http'\n\nconst routes = { '/health': 'ok', '/version': '1' }\n\nconst server = createServer((request, response) => {\n  response.end(routes[request.url as keyof typeof routes] ?? 'not here')\n})\n\nserver.listen(3000, () => console.log('listening'))`
  const { text, steps, claim } = await talk(part({ answer: [`Start it with \`node server.ts\`.\n\n${fence(server, 'typescript')}`] }), 'A tiny HTTP server in TypeScript with /health and /version')
  t.strictSame(steps, ['answer'])
  t.equal(claim, 'unverified')
  for (const line of ["'/health': 'ok'", "'/version': '1'", 'server.listen(3000', 'response.end(']) t.ok(text.replaceAll('"', "'").includes(line), line)
  t.match(text, /### server\.ts\n[^]*unverified: it was loaded here with `server\.listen[^]*no request was sent to it/)
})

void t.test('a main guard and a loop without end stay, and are not run', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const game = 'import random\n\n\ndef roll() -> int:\n    return random.randint(1, 6)\n\n\ndef main() -> None:\n    while True:\n        if input("again? ") == "n":\n            break\n        print(roll())\n\n\nif __name__ == "__main__":\n    main()'
  const { text, steps, claim } = await talk(part({ answer: [fence(game)] }), 'a dice game for the terminal')
  t.strictSame(steps, ['answer'])
  t.ok(text.includes(game))
  t.equal(claim, 'unverified')
  t.match(text, /unverified: it loads here; what it does depends on [^]*chance, so its results were not checked/)
})

void t.test('a library that is missing is named, after one call', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const { text, steps } = await talk(part({ answer: [fence('import polars as pl\n\n\ndef totals(path: str) -> pl.DataFrame:\n    return pl.read_csv(path).sum()')] }), 'Write a function totals(path) that sums the columns of a CSV with polars')
  t.strictSame(steps, ['answer'])
  t.match(text, /pl\.read_csv\(path\)\.sum\(\)[^]*### Verification\nunverified: `polars` is not available here, so it was not run/)
})

void t.test('several files keep their paths, and can import the user\'s other files', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const reply = `Two modules.\n\nshop/prices.py\n${fence('PRICES = {"tea": 3}\n\n\ndef price(name: str) -> int:\n    return PRICES[name]')}\n\n**shop/cart.py**\n${fence('from shop.prices import price\n\n\ndef total(names: list[str]) -> int:\n    return sum(price(name) for name in names)')}\n\nrequirements.txt\n${fence('pytest', 'text')}\n\nRun the tests with \`pytest\`.`
  const { text } = await talk(part({ answer: [reply], write: [reply] }), 'Split the shop into two modules')
  t.match(text, /^Two modules\.\n\n### shop\/prices\.py\n```python\n[^]*### shop\/cart\.py\n```python\nfrom shop\.prices import price\n[^]*requirements\.txt\n```text\npytest\n```\n\nRun the tests with `pytest`\.[^]*### Verification\n/)
  t.notMatch(text, /^(?:shop\/prices\.py|\*\*shop\/cart\.py\*\*)$/m, 'a path is a heading or a line, never both')
})

const CLAMP = 'def clamp(x: int, low: int, high: int) -> int:\n    return max(low, min(x, high))'

void t.test('tests for the user\'s code are run against it, and failing ones are reported', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const suite = fence('def test_high():\n    assert clamp(9, 0, 3) == 3\n\n\ndef test_low():\n    assert clamp(-9, 0, 3) == 0')
  const good = await talk(part({ answer: [suite] }), `Write tests for this:\n${fence(CLAMP)}`)
  t.match(good.text, /### test_clamp\.py\n```python\n[^]*from clamp import clamp\n/, 'a test file imports what it tests')
  t.match(good.text, /### Verification\ntested: the tests were run here against your code: 2 tests pass\./)
  t.strictSame(good.steps, ['answer'])
  const broken = await talk(part({ answer: [suite], repair: [suite] }), `Write tests for this:\n${fence(CLAMP.replace('max(low, min(x, high))', 'min(x, high)'))}`)
  t.equal(broken.claim, 'unverified')
  t.match(broken.text, /1 of 2 pass[^]*test_low/)
})

void t.test('the user\'s own tests decide', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const wrong = fence('def clamp(x, low, high):\n    return min(x, high)')
  const { text, claim } = await talk(part({ answer: [wrong], write: [fence(CLAMP)], repair: [fence(CLAMP)] }), `Write clamp so that these tests pass:\n\ntest_clamp.py\n${fence('from clamp import clamp\n\n\ndef test_low():\n    assert clamp(-9, 0, 3) == 0\n\n\ndef test_high():\n    assert clamp(9, 0, 3) == 3')}`)
  t.equal(claim, 'verified', text)
  t.match(text, /### clamp\.py\n[^]*max\(low/)
})

void t.test('with a workspace the files of the reply are written, and it says where', { timeout: 120_000 }, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-workspace-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const { talk } = await startTalk(t, { agentOptions: { workspace: folder } })
  const { text, reply } = await talk(part({ answer: [`${fence(CLAMP)}\n`], tests: [fence('assert clamp(9, 1, 4) == 4')], write: [fence(CLAMP)] }), 'Write clamp(x, low, high) in Python: clamp(5, 0, 3) == 3, clamp(-1, 0, 3) == 0')
  t.strictSame(await readdir(folder), [reply.id])
  t.strictSame((await readdir(join(folder, reply.id))).sort(), ['clamp.py', 'test_clamp.py'])
  t.match(await readFile(join(folder, reply.id, 'clamp.py'), 'utf8'), /max\(low, min\(x, high\)\)\n$/)
  t.ok(text.includes(`- Written to the workspace, in \`${reply.id}/\`: \`clamp.py\`, \`test_clamp.py\`.`))
  const words = await talk(part({ answer: ['Hello.'] }), 'Hi')
  t.equal(words.text, 'Hello.')
  t.equal((await readdir(folder)).length, 1)
})
