import t from 'tap'
import type { Files } from '../../../agents/types.js'
import { PROFILES } from '../../../agents/svc-code/languages/index.js'
import { type ProjectKind, SCAFFOLDS, layoutOf, projectKind, scaffoldOf } from '../../../agents/svc-code/scaffolds/index.js'
import { python } from '../../support/python.js'

const { sandbox } = python(t)
const signal = new AbortController().signal
const limits = { wallMs: 30_000, cpuMs: 30_000 }
const kinds = Object.keys(SCAFFOLDS) as ProjectKind[]
const facts = (files: Files = {}) => ({ name: 'My Notes', summary: 'Keeps "notes".', files })
const made = (kind: ProjectKind, files: Files = {}) => ({ ...files, ...scaffoldOf(kind, facts(files)).files })

void t.test('an empty project of each kind has a manifest, an entry, tests, a README with the commands, and no error that the checker finds', { timeout: 300_000 }, async t => {
  for (const kind of kinds) {
    const { language, setup, test } = SCAFFOLDS[kind]
    const files = made(kind)
    for (const command of [setup, test]) t.ok(files['README.md']?.includes(`\n${command}\n`), kind)
    for (const [path, text] of Object.entries(files)) if (path.endsWith('.json')) t.doesNotThrow(() => { JSON.parse(text) }, `${kind} ${path}`)
    t.ok(Object.hasOwn(files, language === 'python' ? 'pyproject.toml' : 'package.json'), kind)
    t.ok(Object.entries(files).some(([path, text]) => PROFILES.some(profile => profile.isTestFile(path, text))), `${kind} has a test`)
    t.strictSame(scaffoldOf(kind, facts(files)).files, {}, `${kind} touches nothing that is there`)
    const { diagnostics, unchecked } = await sandbox.check({ language, files }, { signal, limits })
    t.strictSame(diagnostics.filter(({ severity }) => severity === 'error'), [], kind)
    t.strictSame(unchecked, [], kind)
    t.match(layoutOf(kind, facts()), /project \(/)
  }
})

void t.test('the tests of a library and of a command line pass; those that need a framework are reported as not run', { timeout: 300_000 }, async t => {
  for (const kind of kinds) {
    const files = made(kind)
    const tests = Object.keys(files).filter(path => /(?:test_\w+\.py|\.test\.tsx?)$/.test(path))
    const job = { language: SCAFFOLDS[kind].language, files, tests }
    const { outcome, cause, missing, message } = await sandbox.test(job, { signal, limits })
    if (['python-library', 'python-cli', 'typescript-library', 'node-cli', 'nextjs'].includes(kind)) t.equal(outcome, 'passed', `${kind}: ${message ?? ''}`)
    else t.ok(outcome === 'not run' && cause === 'not available' && missing.length > 0, `${kind}: ${outcome} ${cause ?? ''} ${message ?? ''}`)
  }
})

void t.test('commands, scripts and tests go with the code that is there', async t => {
  const fastapi = made('fastapi', { 'shop/web.py': 'import yaml\nfrom sqlalchemy import select\nfrom fastapi import FastAPI, UploadFile\n\nservice = FastAPI()\n', 'shop/prices.py': 'from shop import web\nimport os, json\n' })
  t.match(fastapi['README.md'], /uvicorn shop\.web:service --reload/)
  t.match(fastapi['tests/test_service.py'], /from shop\.web import service/)
  t.match(fastapi['pyproject.toml'], /"fastapi>=[\s\S]*"python-multipart[\s\S]*"pyyaml",\n {4}"sqlalchemy",\n\]/)
  t.notMatch(fastapi['pyproject.toml'], /"(?:shop|os|json)"/)
  t.notOk(Object.hasOwn(fastapi, 'app/main.py'))
  t.match(made('fastapi', { 'api/factory.py': 'from fastapi import FastAPI\n\n\ndef build() -> FastAPI:\n    return FastAPI()\n' })['README.md'], /uvicorn --factory api\.factory:build/)
  t.match(made('flask', { 'web/__init__.py': 'from flask import Flask\n\n\ndef make(config=None):\n    app = Flask(__name__)\n    return app\n' }), { 'README.md': /flask --app web:make run/, 'tests/test_service.py': /make\(\)\.test_client/ })
  t.match(made('flask', { 'main.py': 'from flask import Flask\napp = Flask(__name__)\n' }), { 'README.md': /flask --app main:app run/, 'pyproject.toml': /py-modules = \["main"\]/ })
  const django = made('django', { 'blog/models.py': 'from django.db import models\n', 'blog/urls.py': 'urlpatterns = []\n', 'news/views.py': '' })
  t.match(django, { 'config/settings.py': /"blog",\n {4}"news",/, 'config/urls.py': /path\("", include\("blog\.urls"\)\)/, 'blog/migrations/__init__.py': '', 'blog/__init__.py': '', 'pyproject.toml': /DJANGO_SETTINGS_MODULE = "config\.settings"/ })
  t.match(made('django', { 'mysite/settings.py': 'INSTALLED_APPS = []\n' }), { 'manage.py': /"mysite\.settings"/, 'mysite/urls.py': String })
  t.match(made('typer', { 'notes/main.py': 'import typer\n\napp = typer.Typer()\n' })['pyproject.toml'], /my-notes = "notes\.main:app"/)
  t.match(made('typer', { 'notes/main.py': 'import click\n\n\n@click.group()\ndef cli() -> None:\n    pass\n' }), { 'pyproject.toml': /"click>=8\.1,<9",\n\][\s\S]*my-notes = "notes\.main:cli"/, 'tests/test_help.py': /from click\.testing/ })
  t.match(made('python-cli', { 'notes/app.py': 'def main(argv=None):\n    return 0\n' }), { 'notes/__main__.py': /from \.app import main/, 'pyproject.toml': /"notes\.app:main"/, 'README.md': /python -m notes --help/ })
  t.match(made('python-cli', { 'tool.py': 'print(1)\n' })['README.md'], /python tool\.py/)
  t.match(made('python-library', { 'core.py': 'x = 1\n' }), { 'README.md': /import core"/, 'pyproject.toml': /py-modules = \["core"\]/ })
  const express = made('express', { 'src/index.ts': "import express from 'express';\nimport cors from 'cors';\nimport weird from 'weird-thing/x';\nimport fs from 'fs';\nconst app = express();\napp.listen(3000);\n" })
  t.match(JSON.parse(express['package.json'] ?? ''), { scripts: { dev: 'tsx watch src/index.ts', start: 'node dist/index.js' }, dependencies: { cors: /\d/, 'weird-thing': '*' }, devDependencies: { '@types/cors': '*' } })
  t.match(made('express', { 'src/app.ts': "import express from 'express';\nexport function createApp() {\n  const app = express();\n  return app;\n}\n" }), { 'src/server.ts': /createApp\(\)\.listen/, 'test/service.test.ts': /createApp\(\)\.listen\(0\)/ })
  t.match(made('fastify', { 'src/app.ts': "import Fastify from 'fastify';\nexport const app = Fastify();\n" }), { 'src/server.ts': /const app = app|import \{ app \}/ })
  t.match(made('react', { 'src/App.tsx': "import './App.css';\nexport default function App() { return null }\n" }), { 'src/main.tsx': /import App from/, 'test/App.test.tsx': /import App from/, 'src/App.css': /App/ })
  t.match(made('react', { 'src/index.tsx': 'createRoot(document.body).render(null)\n' })['index.html'], /src="\/src\/index\.tsx"/)
  t.match(made('nextjs', { 'src/app/page.tsx': 'export default function Page() { return null }\n' }), { 'src/app/layout.tsx': String, 'tsconfig.json': /\.\/src\/\*/ })
  t.match(made('typescript-library', { 'src/set.ts': 'export const x = 1\n', 'src/merge.ts': 'export const y = 1\n' })['src/index.ts'], /export \* from '\.\/set\.js';\nexport \* from '\.\/merge\.js';/)
  t.match(made('node-cli', { 'src/commands.ts': 'export function run(argv: string[]): string { return "" }\n' }), { 'src/main.ts': /from '\.\/commands\.js'/ })
  t.match(made('node-cli', { 'src/index.ts': 'console.log(process.argv)\n' })['package.json'], /"bin": "\.\/dist\/index\.js"/)
})

void t.test('the kind of a project is decided by the framework that the user names, else by what the user asks for', async t => {
  for (const [task, id, kind] of [['a FastAPI service', 'python', 'fastapi'], ['a Django blog', 'python', 'django'], ['a command line tool', 'python', 'python-cli'], ['a package', 'python', 'python-library'],
    ['an Express app', 'typescript', 'express'], ['a Next.js site', 'typescript', 'nextjs'], ['a library', 'typescript', 'typescript-library'], ['a dashboard', 'typescript', 'react'],
    ['a command line tool', 'typescript', 'node-cli'], ['an API, not with FastAPI but with Flask', 'python', 'flask'], ['Express yourself in a library', 'typescript', 'typescript-library']] as const) t.equal(projectKind(task, { id }), kind, task)
})
