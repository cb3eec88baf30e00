// Python projects: pyproject.toml as PyPA describes it, tests by pytest.
import { type Facts, type ProjectKind, type Scaffold, moduleName, packageFolder, packageName } from './kinds.js'

const IGNORED = '__pycache__/\n*.py[cod]\n.venv/\n.pytest_cache/\n*.egg-info/\ndist/\n.env\n'

function pyproject ({ name, summary, files }: Facts, dependencies: readonly string[], { dev = [], scripts = {} }: { dev?: readonly string[], scripts?: Record<string, string> } = {}): string {
  const folder = packageFolder({ name, summary, files })
  const list = (items: readonly string[]) => items.length === 0 ? '[]' : `[\n${items.map(item => `    "${item}",`).join('\n')}\n]`
  return `[build-system]
requires = ["setuptools>=75"]
build-backend = "setuptools.build_meta"

[project]
name = "${packageName(name)}"
version = "0.1.0"
description = ${JSON.stringify(summary)}
readme = "README.md"
requires-python = ">=3.11"
dependencies = ${list(dependencies)}

[project.optional-dependencies]
dev = ${list(['pytest>=8,<10', ...dev])}
${Object.keys(scripts).length === 0 ? '' : `\n[project.scripts]\n${Object.entries(scripts).map(([command, target]) => `${command} = "${target}"`).join('\n')}\n`}
[tool.setuptools.packages.find]
include = ["${folder}*"]

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["."]
`
}

const SETUP = 'python -m venv .venv && . .venv/bin/activate && pip install -e ".[dev]"'

/** Everything that Python projects share. */
function python (title: string, layout: string, run: string, more: Pick<Scaffold, 'files' | 'entry'>): Scaffold {
  return { language: 'python', title, layout, setup: SETUP, run, test: 'pytest', ...more, files: facts => ({ '.gitignore': IGNORED, ...more.files(facts) }) }
}

const init = (facts: Facts) => ({ [`${packageFolder(facts)}/__init__.py`]: `"""${facts.summary.replaceAll('"', "'") || facts.name}"""\n` })

export const PYTHON_SCAFFOLDS: Record<Extract<ProjectKind, 'fastapi' | 'flask' | 'django' | 'typer' | 'python-cli' | 'python-library'>, Scaffold> = {
  fastapi: python('FastAPI', 'app/main.py creates `app`, app/models.py holds the Pydantic models, logic goes to modules of its own that need no FastAPI', 'uvicorn app.main:app --reload', {
    files: facts => ({ ...(facts.files.length === 0 || facts.files.some(path => path.startsWith('app/')) ? { 'app/__init__.py': '' } : init(facts)), 'pyproject.toml': pyproject(facts, ['fastapi>=0.115,<1', 'uvicorn[standard]>=0.32,<1'], { dev: ['httpx>=0.27,<1'] }) }),
    entry: {
      matches: /(?:^|\/)(?:main|app)\.py$/,
      files: ({ name }) => ({ 'app/main.py': `from fastapi import FastAPI\n\napp = FastAPI(title="${packageName(name)}")\n\n\n@app.get("/health")\ndef health() -> dict[str, str]:\n    return {"status": "ok"}\n`, 'tests/test_health.py': 'from fastapi.testclient import TestClient\n\nfrom app.main import app\n\n\ndef test_health() -> None:\n    assert TestClient(app).get("/health").json() == {"status": "ok"}\n' })
    }
  }),
  flask: python('Flask', 'app/__init__.py holds `create_app()`, app/routes.py a blueprint, logic goes to modules of its own', 'flask --app app run --debug', {
    files: facts => ({ 'pyproject.toml': pyproject(facts, ['flask>=3,<4']) }),
    entry: {
      matches: /(?:^|\/)(?:app|main|wsgi|app\/__init__)\.py$/,
      files: () => ({ 'app/__init__.py': 'from flask import Flask\n\n\ndef create_app() -> Flask:\n    app = Flask(__name__)\n\n    @app.get("/health")\n    def health() -> dict[str, str]:\n        return {"status": "ok"}\n\n    return app\n', 'tests/test_health.py': 'from app import create_app\n\n\ndef test_health() -> None:\n    assert create_app().test_client().get("/health").json == {"status": "ok"}\n' })
    }
  }),
  django: python('Django', 'manage.py and config/settings.py, config/urls.py are made for you; plan one app folder with models.py, views.py, urls.py, admin.py', 'python manage.py migrate && python manage.py runserver', {
    files: facts => {
      const app = packageFolder(facts)
      const installed = facts.files.some(path => path === `${app}/models.py`) ? `    "${app}",\n` : ''
      return {
        'pyproject.toml': pyproject(facts, ['django>=5.1,<7'], { dev: ['pytest-django>=4.9,<5'] }).replace('pythonpath = ["."]', 'pythonpath = ["."]\nDJANGO_SETTINGS_MODULE = "config.settings"'),
        'manage.py': '#!/usr/bin/env python\nimport os\nimport sys\n\nfrom django.core.management import execute_from_command_line\n\nif __name__ == "__main__":\n    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")\n    execute_from_command_line(sys.argv)\n',
        'config/__init__.py': '',
        'config/settings.py': `import os\nfrom pathlib import Path\n\nBASE_DIR = Path(__file__).resolve().parent.parent\nSECRET_KEY = os.environ.get("DJANGO_SECRET_KEY", "only-for-development")\nDEBUG = os.environ.get("DJANGO_DEBUG", "1") == "1"\nALLOWED_HOSTS = os.environ.get("DJANGO_ALLOWED_HOSTS", "localhost 127.0.0.1").split()\nINSTALLED_APPS = [\n    "django.contrib.admin",\n    "django.contrib.auth",\n    "django.contrib.contenttypes",\n    "django.contrib.sessions",\n    "django.contrib.messages",\n    "django.contrib.staticfiles",\n${installed}]\nMIDDLEWARE = [\n    "django.middleware.security.SecurityMiddleware",\n    "django.contrib.sessions.middleware.SessionMiddleware",\n    "django.middleware.common.CommonMiddleware",\n    "django.middleware.csrf.CsrfViewMiddleware",\n    "django.contrib.auth.middleware.AuthenticationMiddleware",\n    "django.contrib.messages.middleware.MessageMiddleware",\n]\nROOT_URLCONF = "config.urls"\nTEMPLATES = [\n    {\n        "BACKEND": "django.template.backends.django.DjangoTemplates",\n        "APP_DIRS": True,\n        "OPTIONS": {\n            "context_processors": [\n                "django.template.context_processors.request",\n                "django.contrib.auth.context_processors.auth",\n                "django.contrib.messages.context_processors.messages",\n            ]\n        },\n    }\n]\nWSGI_APPLICATION = "config.wsgi.application"\nDATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE_DIR / "db.sqlite3"}}\nDEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"\nSTATIC_URL = "static/"\nUSE_TZ = True\n`,
        'config/urls.py': `from django.contrib import admin\nfrom django.urls import ${facts.files.includes(`${app}/urls.py`) ? 'include, ' : ''}path\n\nurlpatterns = [\n    path("admin/", admin.site.urls),\n${facts.files.includes(`${app}/urls.py`) ? `    path("", include("${app}.urls")),\n` : ''}]\n`,
        'config/wsgi.py': 'import os\n\nfrom django.core.wsgi import get_wsgi_application\n\nos.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")\napplication = get_wsgi_application()\n',
        ...(facts.files.some(path => path.startsWith(`${app}/`)) && { [`${app}/__init__.py`]: '' })
      }
    },
    entry: { matches: /./, files: () => ({}) }
  }),
  typer: python('Typer', 'PACKAGE/cli.py holds the Typer `app` and nothing but its commands, logic goes to modules of its own', 'pip install -e . and then the command of the project', {
    files: facts => ({ ...init(facts), 'pyproject.toml': pyproject(facts, ['typer>=0.15,<1'], { scripts: { [packageName(facts.name)]: `${packageFolder(facts)}.cli:app` } }) }),
    entry: {
      matches: /(?:^|\/)(?:cli|main|__main__)\.py$/,
      files: facts => ({ [`${packageFolder(facts)}/cli.py`]: 'import typer\n\napp = typer.Typer()\n\n\n@app.command()\ndef hello(name: str = "world") -> None:\n    """Say hello."""\n    typer.echo(f"Hello, {name}!")\n' })
    }
  }),
  'python-cli': python('Python command line', 'PACKAGE/cli.py holds main(argv) with argparse, PACKAGE/__main__.py calls it, logic goes to modules of its own', 'python -m PACKAGE --help', {
    files: facts => ({ ...init(facts), [`${packageFolder(facts)}/__main__.py`]: 'import sys\n\nfrom .cli import main\n\nsys.exit(main())\n', 'pyproject.toml': pyproject(facts, [], { scripts: { [packageName(facts.name)]: `${packageFolder(facts)}.cli:main` } }) }),
    entry: {
      matches: /(?:^|\/)cli\.py$/,
      files: facts => ({
        [`${packageFolder(facts)}/cli.py`]: 'import argparse\nfrom collections.abc import Sequence\n\n\ndef main(argv: Sequence[str] | None = None) -> int:\n    parser = argparse.ArgumentParser(description="Says hello.")\n    parser.add_argument("name", nargs="?", default="world")\n    arguments = parser.parse_args(argv)\n    print(f"Hello, {arguments.name}!")\n    return 0\n',
        'tests/test_cli.py': `from ${packageFolder(facts)}.cli import main\n\n\ndef test_hello(capsys) -> None:\n    assert main(["Ada"]) == 0\n    assert capsys.readouterr().out == "Hello, Ada!\\n"\n`
      })
    }
  }),
  'python-library': python('Python library', 'one package folder named after the project, a module for each concern, __init__.py exports what users need', 'python -c "import PACKAGE"', {
    files: facts => ({ ...init(facts), [`${packageFolder(facts)}/py.typed`]: '', 'pyproject.toml': pyproject(facts, []) }),
    entry: { matches: /\.py$/, files: facts => ({ [`${moduleName(facts.name)}/core.py`]: 'def greet(name: str) -> str:\n    """A friendly word."""\n    return f"Hello, {name}!"\n', 'tests/test_core.py': `from ${moduleName(facts.name)}.core import greet\n\n\ndef test_greet() -> None:\n    assert greet("Ada") == "Hello, Ada!"\n` }) }
  })
}
