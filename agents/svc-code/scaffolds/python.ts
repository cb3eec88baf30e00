// Python projects, with a pyproject.toml as described by PyPA and tests by pytest.
import { type Facts, type ProjectKind, type Scaffold, findStatement, packageFolder, packageFolders, packageName } from './kinds.js'
import { withoutTests } from '../paths.js'
import { pypiPackages } from './packages.js'

const IGNORED = '__pycache__/\n*.py[cod]\n.venv/\n.pytest_cache/\n*.egg-info/\ndist/\n.env\n*.sqlite3\n'
const SETUP = 'python -m venv .venv && . .venv/bin/activate && pip install -e ".[dev]"'

export interface Parts {
  dependencies: readonly string[]
  dev?: readonly string[]
  scripts?: Record<string, string>
  pytest?: readonly string[]
}

function pyproject (
  { name, summary, files }: Facts,
  made: Record<string, string>,
  { dependencies, dev = [], scripts = {}, pytest = [] }: Parts
): string {
  const all = { ...files, ...made }
  const list = (items: readonly string[]) => items.length === 0 ? '[]' : `[\n${items.map(item => `    "${item}",`).join('\n')}\n]`
  const modules = Object.keys(all).filter(isModule).map(stemOf)
  const testPaths = Object.keys(all).some(path => path.startsWith('tests/')) ? ['testpaths = ["tests"]'] : []
  const commands = Object.entries(scripts).map(([command, target]) => `${command} = "${target}"\n`).join('')
  return `[build-system]
requires = ["setuptools>=75"]
build-backend = "setuptools.build_meta"

[project]
name = "${packageName(name)}"
version = "0.1.0"
description = ${JSON.stringify(summary)}
readme = "README.md"
requires-python = ">=3.11"
dependencies = ${list([...dependencies, ...pypiPackages(withoutTests(all), [...dependencies, ...dev])])}

[project.optional-dependencies]
dev = ${list(['pytest>=8,<10', ...dev])}
${commands === '' ? '' : `\n[project.scripts]\n${commands}`}${modules.length === 0
  ? ''
  : `\n[tool.setuptools]\npy-modules = ${JSON.stringify(modules)}\n`}
[tool.setuptools.packages.find]
include = ${JSON.stringify(packageFolders(all).map(folder => `${folder}*`))}

[tool.pytest.ini_options]
${[...testPaths, 'pythonpath = ["."]', ...pytest].join('\n')}
`
}

/** What all Python projects have in common; `make` adds what one kind needs. */
export function python (
  title: string,
  layout: string,
  more: (facts: Facts) => { files: Record<string, string>, parts: Parts, run: string }
): Scaffold {
  return {
    language: 'python', title, layout, setup: SETUP, test: 'pytest',
    make: facts => {
      const { files, parts, run } = more(facts)
      const inits = Object.fromEntries(packageFolders({ ...facts.files, ...files }).map(folder => [`${folder}/__init__.py`, '']))
      const made = { '.gitignore': IGNORED, ...inits, ...files }
      return { files: { ...made, 'pyproject.toml': pyproject(facts, made, parts) }, run }
    }
  }
}

/** Whether a file is a module in the root folder. */
function isModule (path: string): boolean {
  return path.endsWith('.py') && !path.includes('/') && !path.startsWith('setup') && !path.startsWith('conftest')
}

function stemOf (path: string): string {
  return path.slice(0, -'.py'.length)
}

/** The name by which Python imports a file such as `shop/cli.py`. */
export function importName (path: string): string {
  return path.replace(/(?:\/__init__)?\.py$/, '').replaceAll('/', '.')
}

export function isEmpty ({ files }: Facts): boolean {
  return !Object.keys(files).some(path => path.endsWith('.py'))
}

const doc = ({ summary, name }: Facts) => `"""${(summary || name).replaceAll('\\', '').replaceAll('"', "'")}"""\n`

export const PYTHON_SCAFFOLDS: Record<Extract<ProjectKind, 'typer' | 'python-cli' | 'python-library'>, Scaffold> = {
  typer: python('Typer', 'PACKAGE/cli.py holds the Typer `app` and nothing but its commands, logic goes to modules of its own', facts => {
    const folder = packageFolder(facts)
    const click = findStatement(facts.files, /^@(?:click|main|cli)\.(?:group|command)\([\s\S]*?\ndef (\w+)\(/)
    const typer = findStatement(facts.files, /^(\w+)\s*(?::[^=\n]+)?=\s*(?:typer\.)?Typer\(/)
    const app = typer ?? click ?? { path: `${folder}/cli.py`, name: 'app' }
    const library = click !== undefined && click === app ? 'click' : 'typer'
    const files = {
      [`${folder}/__init__.py`]: doc(facts),
      [`${folder}/cli.py`]: 'import typer\n\napp = typer.Typer()\n\n\n@app.callback()\ndef main() -> None:\n    """Says hello."""\n\n\n'
        + '@app.command()\ndef hello(name: str = "world") -> None:\n    """Say hello."""\n    typer.echo(f"Hello, {name}!")\n',
      'tests/test_help.py': `from ${library}.testing import CliRunner\n\nfrom ${importName(app.path)} import ${app.name}\n\n\n`
        + 'def test_the_command_explains_itself() -> None:\n'
        + `    assert CliRunner().invoke(${app.name}, ["--help"]).exit_code == 0\n`
    }
    const isOurs = app.path === `${folder}/cli.py`
    return {
      files: isOurs || isEmpty(facts) ? files : without(files, `${folder}/cli.py`),
      parts: {
        dependencies: library === 'click' ? ['click>=8.1,<9'] : ['typer>=0.15,<1'],
        scripts: { [packageName(facts.name)]: `${importName(app.path)}:${app.name}` }
      },
      run: `${packageName(facts.name)} --help`
    }
  }),
  'python-cli': python(
    'Python command line',
    'PACKAGE/cli.py holds main(argv: Sequence[str] | None = None) -> int with argparse, PACKAGE/__main__.py calls it, logic goes to '
    + 'modules of its own',
    facts => {
      const folder = packageFolder(facts)
      if (isEmpty(facts)) {
        return {
          files: {
            [`${folder}/__init__.py`]: doc(facts),
            [`${folder}/__main__.py`]: MAIN('cli', 'main'),
            [`${folder}/cli.py`]: 'import argparse\nfrom collections.abc import Sequence\n\n\n'
              + 'def main(argv: Sequence[str] | None = None) -> int:\n    parser = argparse.ArgumentParser(description="Says hello.")\n'
              + '    parser.add_argument("name", nargs="?", default="world")\n    arguments = parser.parse_args(argv)\n'
              + '    print(f"Hello, {arguments.name}!")\n    return 0\n',
            'tests/test_cli.py': `import pytest\n\nfrom ${folder}.cli import main\n\n\n`
              + 'def test_it_says_hello(capsys: pytest.CaptureFixture[str]) -> None:\n    assert main(["Ada"]) == 0\n'
              + '    assert capsys.readouterr().out == "Hello, Ada!\\n"\n'
          },
          parts: { dependencies: [], scripts: { [packageName(facts.name)]: `${folder}.cli:main` } },
          run: `python -m ${folder} --help`
        }
      }
      const main = findStatement(facts.files, /^def (main)\(/, path => path.endsWith('.py') && !path.endsWith('__main__.py'))
      const takesArguments = findStatement(facts.files, /^def (main)\(\s*\w[\s\S]*?parse_args\(\s*\w/) !== undefined
      const isPackaged = main !== undefined && main.path.startsWith(`${folder}/`) && main.path.split('/').length === 2
      return {
        files: {
          ...(packageFolders(facts.files).length > 0 && { [`${folder}/__init__.py`]: doc(facts) }),
          ...(isPackaged && { [`${folder}/__main__.py`]: MAIN(stemOf(main.path.slice(folder.length + 1)), 'main') }),
          ...(main !== undefined && takesArguments && {
            'tests/test_cli.py': `import pytest\n\nfrom ${importName(main.path)} import main\n\n\n`
              + 'def test_the_command_explains_itself() -> None:\n    with pytest.raises(SystemExit) as ended:\n'
              + '        main(["--help"])\n    assert ended.value.code == 0\n'
          })
        },
        parts: { dependencies: [], ...(main !== undefined && { scripts: { [packageName(facts.name)]: `${importName(main.path)}:main` } }) },
        run: isPackaged || facts.files[`${folder}/__main__.py`] !== undefined
          ? `python -m ${folder} --help`
          : `python ${main?.path ?? Object.keys(facts.files).find(path => path.endsWith('.py')) ?? ''}`
      }
    }
  ),
  'python-library': python(
    'Python library',
    'one package folder named after the project, a module for each concern, __init__.py exports what users need',
    facts => {
      const folder = packageFolder(facts)
      return {
        files: {
          ...((isEmpty(facts) || packageFolders(facts.files).length > 0) && {
            [`${folder}/__init__.py`]: doc(facts),
            [`${folder}/py.typed`]: ''
          }),
          ...(isEmpty(facts) && {
            [`${folder}/core.py`]: 'def greet(name: str) -> str:\n    """A friendly word."""\n    return f"Hello, {name}!"\n',
            'tests/test_core.py': `from ${folder}.core import greet\n\n\ndef test_it_greets() -> None:\n`
              + '    assert greet("Ada") == "Hello, Ada!"\n'
          })
        },
        parts: { dependencies: [] },
        run: `python -c "import ${isEmpty(facts) || packageFolders(facts.files).length > 0
          ? folder
          : importName(Object.keys(facts.files).find(path => path.endsWith('.py')) ?? folder)}"`
      }
    }
  )
}

function without (files: Record<string, string>, path: string): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([name]) => name !== path))
}

const MAIN = (module: string, name: string) => `import sys\n\nfrom .${module} import ${name}\n\nsys.exit(${name}())\n`
