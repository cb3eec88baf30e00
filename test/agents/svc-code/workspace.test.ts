import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { unfit, visible } from '../../../agents/svc-code/file-names.js'
import { saved } from '../../../agents/svc-code/delivery/saved.js'
import { ENGLISH } from '../../../agents/svc-code/delivery/words/words.js'
import { say, startBackend } from '../../support/backend.js'
import { startService } from '../../support/service.js'

async function folder (t: Test): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'svc-workspace-'))
  t.teardown(() => rm(made, { recursive: true, force: true }))
  return made
}

const files = (paths: string[]) => Object.fromEntries(paths.map(path => [path, '1\n']))

const ORDINARY = [
  'a.py', 'src/app.ts', 'README.md', 'app/[id]/page.tsx', 'a-b_c@2.ts', 'Dockerfile', 'naïve.py', '日本語.md', 'a b.txt', 'a.b.c.d', 'tests/__init__.py', 'con_air.py', 'aux-tools/x.py', 'v1~beta.py', 'eslint.config.js',
  '.gitignore', 'web/.gitignore', '.env.example', '.editorconfig', '.github/workflows/test.yml', '.github/dependabot.yml', '.prettierrc', '.prettierrc.json', '.prettierignore', '.eslintrc.json', '.flake8', '.ruff.toml'
]

const REFUSED: [RegExp, string[]][] = [
  [/programs act on files of such a name/, [
    '.npmrc', 'web/.npmrc', '.git/hooks/pre-commit', '.GIT/config', '.env', '.envrc', '.bashrc', '.zshenv', '.ssh/config', '.vscode/tasks.json', '.idea/x.xml', '.devcontainer/devcontainer.json', '.claude/settings.json', '.cursor/mcp.json',
    '.husky/pre-commit', '.gitmodules', '.gitconfig', '.gitattributes', '.yarnrc.yml', '.pnpmfile.cjs', '.eslintrc.js', '.prettierrc.mjs', '.mocharc.cjs', '.pylintrc', '.pre-commit-config.yaml', '.direnv/x', '.github/.npmrc', '.x',
    'node_modules/x/index.js', 'Node_Modules/x.js', '\uff0egit/config', '\u2024npmrc'
  ]],
  [/characters that cannot be seen/, [
    'a\u0000b', 'a\nb.py', 'a\tb', 'a\u007fb', 'a\u0085b', 'a\u202egnp.exe', 'a\u2066b\u2069.py', 'a\u200fb', 'a\u061cb', '\ufeffa.py', 'a\u200bb', 'a\u00adb', '.g\u200cit/config', 'a\u2028b', 'a\u3164b', 'a\ufe0fb', 'a\u{e0041}b', 'a\ud800b'
  ]],
  [/on Windows/, ['con', 'CON', 'nul.txt', 'aux.c', 'com1', 'COM³', 'lpt9.log', 'con .txt', 'CONIN$', 'clock$', 'a/prn/b', 'a.', 'a./b', 'a ', 'src /a.py', 'a. . ', '...', 'a\u00a0']],
  [/the short one of another file/, ['git~1', 'GIT~1', 'git~1/config', 'GI7EBA~1', 'PROGRA~1.EXE', 'a/npmrc~12.txt']],
  [/leads out of the run's folder/, ['/etc/x', '../x', 'a/../../x', 'a/./b', '~/x', 'a//b']],
  [/not allowed/, ['C:\\x', 'a:b', 'a<b', 'a|b', 'a?b', 'a*b', 'a"b', '']],
  [/too long/, ['x'.repeat(300), `${'ü'.repeat(80)}.py`]]
]

void t.test('files with ordinary names are written, and data of git, editors and linters', async t => {
  const root = await folder(t)
  for (const path of ORDINARY) t.equal(unfit(path), undefined, path)
  const [line, ...more] = await saved(root, 'run', files(ORDINARY), ENGLISH)
  t.match(line, /^- Written to the workspace, in `run\/`: `a\.py`, /)
  t.strictSame(more, [])
  const there = (await readdir(join(root, 'run'), { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())
  t.equal(there.length, ORDINARY.length)
})

void t.test('file names that programs act on, or that look like other names, are refused, and the other files are written', async t => {
  for (const [reason, paths] of REFUSED) for (const path of paths) t.match(unfit(path), reason, visible(path))
  const root = await folder(t)
  const lines = await saved(root, 'run', files(['a.py', ...REFUSED.flatMap(([, paths]) => paths)]), ENGLISH)
  t.strictSame(await readdir(root), ['run'])
  t.strictSame(await readdir(join(root, 'run')), ['a.py'])
  for (const line of lines.slice(1)) t.match(line, /^- Not written to the workspace: .+, since .+[^.]\.$/)
})

void t.test('a refused name is shown with its invisible characters escaped', async t => {
  const root = await folder(t)
  const lines = await saved(root, 'run', files(['a\u202egnp.exe', '.npmrc', 'x`\n# b']), ENGLISH)
  t.strictSame(lines, [
    '- Not written to the workspace: `a\\u{202e}gnp.exe`, `x\\u{60}\\u{a}# b`, since the path has characters that cannot be seen.',
    '- Not written to the workspace: `.npmrc`, since programs act on files of such a name without being asked.'
  ])
  t.strictSame(await readdir(root), [], 'no folder for nothing')
  t.equal(visible('ä/[b].py'), 'ä/[b].py')
  const many = await saved(root, 'run', files(Array.from({ length: 1000 }, (_, index) => `.x${index}`)), ENGLISH)
  t.equal(many.length, 1)
  t.match(many[0], /`\.x19` \(\+ 980\), since/)
})

void t.test('names that are one to some systems are not written twice', async t => {
  const root = await folder(t)
  const lines = await saved(root, 'run', files(['src/straße.py', 'SRC/STRASSE.PY', 'cafe\u0301.py', 'caf\u00e9.py', 'ﬁle.py', 'file.py']), ENGLISH)
  t.match(lines, [/`src\/straße\.py`, `cafe\u0301\.py`, `ﬁle\.py`\.$/, /`SRC\/STRASSE\.PY`, `caf\u00e9\.py`, `file\.py`, since another file of the run has that name\.$/])
})

void t.test('a reply with a file that may not be written is whole, and says so in a sentence', async t => {
  const root = await folder(t)
  const backend = await startBackend(t, say(''))
  const { client } = await startService(t, { backendUrl: backend.url, agentOptions: { workspace: root } })
  const content = 'Format these files:\n\n`.hooks/run.py`\n```python\ndef f(x):\n  return x+1\n```\n\n`shop/cart.py`\n```python\ndef g(x):\n  return x+2\n```\n'
  const reply = await client.chat.completions.create({ model: 'svc-code', messages: [{ role: 'user', content }] }, { timeout: 60_000 })
  const text = reply.choices[0]?.message.content ?? ''
  t.match(text, /### \.hooks\/run\.py\n```python\ndef f\(x\):\n {4}return x \+ 1\n```/)
  t.match(text, /\n- Written to the workspace, in `[\w-]+\/`: `shop\/cart\.py`\.\n- Not written to the workspace: `\.hooks\/run\.py`, since programs act on files of such a name without being asked\.\n/)
})

void t.test('if the workspace cannot be written to, the reply is complete and says so', async t => {
  const taken = join(await folder(t), 'taken')
  await writeFile(taken, 'a file')
  const lines = await saved(taken, 'run', files(['a.py']), ENGLISH)
  t.match(lines, [/^- Not written to the workspace: the workspace cannot be used \(\w+\); give a folder that can be written to with --workspace\.$/])
  t.strictSame(await saved(undefined, 'run', files(['a.py']), ENGLISH), [])
})
