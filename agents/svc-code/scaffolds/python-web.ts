// Web frameworks for Python. An existing app gets a test that is right for every app of its kind.
import { type Facts, type ProjectKind, type Scaffold, findStatement } from './kinds.js'
import { importName, python } from './python.js'

const health = (title: string, imports: string, body: string) => `${imports}\n\n\ndef test_${title}() -> None:\n    ${body}\n`

export const PYTHON_WEB_SCAFFOLDS: Record<Extract<ProjectKind, 'fastapi' | 'flask' | 'django'>, Scaffold> = {
  fastapi: python(
    'FastAPI',
    'app/main.py creates `app`, app/models.py holds the Pydantic models, logic goes to modules of its own that need no FastAPI',
    facts => {
      const app = findStatement(facts.files, /^(\w+)\s*(?::[^=\n]+)?=\s*(?:fastapi\.)?FastAPI\(/)
      const factory = app === undefined ? findStatement(facts.files, /^def (\w+)\([^)]*\)\s*->\s*(?:fastapi\.)?FastAPI\b/) : undefined
      const { path, name } = app ?? factory ?? { path: 'app/main.py', name: 'app' }
      const isOurs = app === undefined && factory === undefined
      return {
        files: {
          ...(isOurs && {
            'app/main.py': `from fastapi import FastAPI\n\napp = FastAPI(title=${JSON.stringify(facts.name)})\n\n\n`
              + '@app.get("/health")\ndef health() -> dict[str, str]:\n    return {"status": "ok"}\n'
          }),
          'tests/test_service.py': health(
            'the_service_describes_itself',
            `from fastapi.testclient import TestClient\n\nfrom ${importName(path)} import ${name}`,
            `assert TestClient(${factory === undefined
              ? name
              : `${name}()`}).get("/openapi.json").status_code == 200`
          )
        },
        parts: {
          dependencies: [
            'fastapi>=0.115,<1', 'uvicorn[standard]>=0.32,<1',
            ...(speaksOf(facts, FORMS) ? ['python-multipart>=0.0.18'] : []),
            ...(speaksOf(facts, ['EmailStr']) ? ['pydantic[email]>=2.10,<3'] : [])
          ],
          dev: ['httpx>=0.27,<1']
        },
        run: `uvicorn ${factory === undefined ? '' : '--factory '}${importName(path)}:${name} --reload`
      }
    }
  ),
  flask: python(
    'Flask',
    'app/__init__.py holds `create_app()`, app/routes.py a blueprint, logic goes to modules of its own that need no Flask',
    facts => {
      const app = findStatement(facts.files, /^(\w+)\s*(?::[^=\n]+)?=\s*(?:flask\.)?Flask\(/)
      const factory = flaskFactory(facts)
      const { path, name } = app ?? factory ?? { path: 'app/__init__.py', name: 'create_app' }
      return {
        files: {
          ...(app === undefined && factory === undefined && {
            'app/__init__.py': 'from flask import Flask\n\n\ndef create_app() -> Flask:\n    app = Flask(__name__)\n\n'
              + '    @app.get("/health")\n    def health() -> dict[str, str]:\n        return {"status": "ok"}\n\n    return app\n'
          }),
          'tests/test_service.py': health('the_service_answers', `from ${importName(path)} import ${name}`, `assert ${app === undefined
            ? `${name}()`
            : name}.test_client().get("/no-such-page").status_code == 404`)
        },
        parts: { dependencies: ['flask>=3,<4'] },
        run: `flask --app ${importName(path)}:${name} run --debug`
      }
    }
  ),
  django: python(
    'Django',
    'manage.py and config/settings.py, config/urls.py are made for you; plan one app folder with models.py, views.py, urls.py, admin.py',
    facts => {
      const isSettings = (path: string) => path.endsWith('/settings.py') && path.split('/').length === 2
      const settings = findStatement(facts.files, /^INSTALLED_APPS\b/, isSettings)
      const site = settings?.path.split('/', 1)[0] ?? 'config'
      const folders = Object.keys(facts.files).flatMap(path => {
        const [folder = '', file = '', ...below] = path.split('/')
        return below.length === 0 && OF_APPS.has(file) && folder !== site ? [folder] : []
      })
      const apps = [...new Set(folders)]
      const routed = apps.filter(app => facts.files[`${app}/urls.py`] !== undefined)
      return {
        files: {
          'manage.py': '#!/usr/bin/env python\nimport os\nimport sys\n\nfrom django.core.management import execute_from_command_line\n\n'
            + `if __name__ == "__main__":\n    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "${site}.settings")\n`
            + '    execute_from_command_line(sys.argv)\n',
          [`${site}/settings.py`]: SETTINGS(site, apps.map(app => `    "${app}",\n`).join('')),
          [`${site}/urls.py`]: `from django.contrib import admin\nfrom django.urls import ${routed.length > 0
            ? 'include, '
            : ''}path\n\nurlpatterns = [\n    path("admin/", admin.site.urls),\n${routed
            .map((app, index) => `    path("${index === 0 ? '' : `${app}/`}", include("${app}.urls")),\n`)
            .join('')}]\n`,
          [`${site}/wsgi.py`]: 'import os\n\nfrom django.core.wsgi import get_wsgi_application\n\n'
            + `os.environ.setdefault("DJANGO_SETTINGS_MODULE", "${site}.settings")\napplication = get_wsgi_application()\n`,
          // Without this file, makemigrations ignores the app.
          ...Object.fromEntries(apps
            .filter(app => facts.files[`${app}/models.py`] !== undefined)
            .map(app => [`${app}/migrations/__init__.py`, ''])),
          'tests/test_project.py': health(
            'the_project_is_sound',
            'from django.core.management import call_command',
            'call_command("check")'
          )
        },
        parts: {
          dependencies: ['django>=5.2,<7'],
          dev: ['pytest-django>=4.9,<5'],
          pytest: [`DJANGO_SETTINGS_MODULE = "${site}.settings"`]
        },
        run: 'python manage.py makemigrations && python manage.py migrate && python manage.py runserver'
      }
    }
  )
}

const OF_APPS = new Set(['models.py', 'views.py', 'apps.py', 'admin.py'])
const FORMS = ['UploadFile', 'OAuth2PasswordRequestForm', ' Form(', '=Form(', '(Form(', '.Form(']

function speaksOf ({ files }: Facts, words: readonly string[]): boolean {
  return Object.values(files).some(source => words.some(word => source.includes(word)))
}

/** The top-level function that makes the app. */
function flaskFactory ({ files }: Facts): { path: string, name: string } | undefined {
  for (const [path, source] of Object.entries(files).filter(([path]) => path.endsWith('.py'))) {
    let name: string | undefined
    for (const line of source.split('\n')) {
      if (line.startsWith('def ')) name = line.slice('def '.length, Math.max(0, line.indexOf('('))).trim()
      else if (line !== '' && line.trimStart() === line && !line.startsWith(')')) name = undefined
      else if (name !== undefined && /^\s+\w+\s*(?::[^=\n]+)?=\s*(?:flask\.)?Flask\(/.test(line)) return { path, name }
    }
  }
  return undefined
}

const SETTINGS = (site: string, apps: string) => `import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
SECRET_KEY = os.environ.get("DJANGO_SECRET_KEY", "only-for-development")
DEBUG = os.environ.get("DJANGO_DEBUG", "1") == "1"
ALLOWED_HOSTS = os.environ.get("DJANGO_ALLOWED_HOSTS", "localhost 127.0.0.1").split()
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
${apps}]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
ROOT_URLCONF = "${site}.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
WSGI_APPLICATION = "${site}.wsgi.application"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE_DIR / "db.sqlite3"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STATIC_URL = "static/"
USE_TZ = True
`
