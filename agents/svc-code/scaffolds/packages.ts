// The names of packages by the names of imports, with current versions. Plain data: extend it freely.
import type { Files } from '../../types.js'

/** Versions of packages on npm; a package that is not listed may have any version. */
const NPM: Record<string, string> = {
  axios: '^1.7.0', zod: '^4.0.0', cors: '^2.8.5', helmet: '^8.0.0', morgan: '^1.10.0', dotenv: '>=16', uuid: '>=11', bcrypt: '>=5',
  bcryptjs: '^3.0.0', jsonwebtoken: '^9.0.0', nanoid: '^5.0.0',
  express: '^5.1.0', fastify: '^5.6.0', '@fastify/cors': '^11.0.0', '@fastify/jwt': '>=9', '@fastify/sensible': '^6.0.0',
  '@fastify/static': '>=8', mongoose: '>=8', pg: '^8.13.0', 'better-sqlite3': '>=11', pino: '>=9',
  react: '^19.0.0', 'react-dom': '^19.0.0', 'react-router': '^7.0.0', 'react-router-dom': '^7.0.0', zustand: '^5.0.0',
  '@tanstack/react-query': '^5.0.0', vue: '^3.5.0', pinia: '^3.0.0', 'vue-router': '>=4',
  commander: '>=13', chalk: '^5.3.0', yargs: '>=17', inquirer: '>=12', 'class-validator': '>=0.14', 'class-transformer': '^0.5.1',
  '@nestjs/typeorm': '>=11', '@nestjs/config': '>=4', '@nestjs/jwt': '>=11', typeorm: '>=0.3', rxjs: '^7.8.1'
}
/** Packages whose types are in another package. */
const TYPED_APART = new Set(('express cors morgan jsonwebtoken bcrypt pg better-sqlite3 yargs inquirer react react-dom supertest lodash '
  + 'multer cookie-parser nodemailer').split(' '))

/** Names on PyPI that differ from the name of the import. */
const PYPI: Record<string, string> = {
  yaml: 'pyyaml', PIL: 'pillow', bs4: 'beautifulsoup4', sklearn: 'scikit-learn', cv2: 'opencv-python', dotenv: 'python-dotenv',
  jwt: 'pyjwt', jose: 'python-jose[cryptography]', multipart: 'python-multipart',
  dateutil: 'python-dateutil', rest_framework: 'djangorestframework', corsheaders: 'django-cors-headers', environ: 'django-environ',
  flask_sqlalchemy: 'flask-sqlalchemy', flask_cors: 'flask-cors', flask_login: 'flask-login',
  flask_migrate: 'flask-migrate', flask_wtf: 'flask-wtf', pydantic_settings: 'pydantic-settings', psycopg2: 'psycopg2-binary',
  attr: 'attrs', google: 'google-cloud', serial: 'pyserial', Crypto: 'pycryptodome', telegram: 'python-telegram-bot', discord: 'discord.py'
}

// `sys.stdlib_module_names` of Python 3.13, without what starts with an underscore.
const PYTHON_OWN = new Set(('abc antigravity argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 cProfile '
  + 'calendar cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib '
  + 'contextvars copy copyreg csv ctypes curses dataclasses datetime dbm decimal difflib dis doctest email encodings ensurepip enum '
  + 'errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc '
  + 'genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib importlib inspect io '
  + 'ipaddress itertools json keyword linecache locale logging lzma mailbox marshal math '
  + 'mimetypes mmap modulefinder msvcrt multiprocessing netrc nt ntpath nturl2path numbers opcode operator optparse os pathlib pdb '
  + 'pickle pickletools pkgutil platform plistlib poplib posix posixpath pprint profile '
  + 'pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched '
  + 'secrets select selectors shelve shlex shutil signal site smtplib socket '
  + 'socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess symtable sys '
  + 'sysconfig syslog tabnanny tarfile tempfile termios textwrap this threading time '
  + 'timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib '
  + 'uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xml xmlrpc '
  + 'zipapp zipfile zipimport zlib zoneinfo __future__').split(' '))

/** The PyPI packages that the sources import, except those in `known`, which the scaffold lists itself. */
export function pypiPackages (files: Files, known: readonly string[]): string[] {
  const modules = Object.keys(files).filter(path => path.endsWith('.py'))
  const own = new Set(modules.flatMap(path => [path.slice(0, path.indexOf('/')), path.slice(path.lastIndexOf('/') + 1, -'.py'.length)]))
  const listed = new Set(known.map(distributionOf))
  const names = sources(files, ['.py'])
    .flatMap(source => [...source.matchAll(PYTHON_IMPORTS)])
    .flatMap(([, from, imported = '']) => from === undefined ? imported.split(',').map(firstName) : [from])
    .filter(name => name !== '' && !name.startsWith('_') && !PYTHON_OWN.has(name) && !own.has(name))
  return [...new Set(names.map(name => PYPI[name] ?? name))]
    .filter(name => !listed.has(distributionOf(name)) && !isImplied(name, listed))
    .sort()
}

const PYTHON_IMPORTS = /^[ \t]*(?:from[ \t]+([A-Za-z_]\w*)(?:\.[\w.]*)?[ \t]+import\b|import[ \t]+([^\n#;]+))/gm

function firstName (text: string): string {
  return /^\s*([A-Za-z_]\w*)/.exec(text)?.[1] ?? ''
}

/** The name in a requirement such as `uvicorn[standard]>=0.32`, without extras and versions. */
function distributionOf (requirement: string): string {
  return requirement.split(/[[<>=!~ ]/, 1)[0]?.toLowerCase() ?? ''
}

/** Packages that are installed with another package, or listed separately. */
function isImplied (name: string, listed: ReadonlySet<string>): boolean {
  return name === 'pytest' || name === 'pydantic_core' || (name === 'starlette' && listed.has('fastapi'))
}

/** The npm packages that the sources import, and the packages with their types. */
export function npmPackages (
  files: Files,
  known: readonly string[]
): { dependencies: Record<string, string>, types: Record<string, string> } {
  const specifiers = sources(
    files,
    ['.ts', '.tsx', '.mts', '.cts', '.vue']
  ).flatMap(source => Array.from(source.matchAll(SPECIFIERS), ([, , name = '']) => name))
  const names = [...new Set(specifiers)].filter(name => /^@?[a-z]/.test(name) && !NODE_OWN.has(name) && !known.includes(name)).sort()
  return {
    dependencies: Object.fromEntries(names.map(name => [name, NPM[name] ?? '*'])),
    types: Object.fromEntries(names
      .filter(name => TYPED_APART.has(name) && !known.includes(`@types/${name}`))
      .map(name => [`@types/${name}`, '*']))
  }
}

const SPECIFIERS = /\b(?:from|import|require\()\s*(['"])((?:@[\w.-]+\/)?[\w.-]+)(?:\/[^'"\n]*)?\1/g

function sources (files: Files, endings: readonly string[]): string[] {
  return Object
    .entries(files)
    .filter(([path]) => endings.some(ending => path.endsWith(ending)))
    .map(([, source]) => source)
}

const NODE_OWN = new Set(('assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns '
  + 'domain events fs http http2 https inspector module net os path perf_hooks process punycode '
  + 'querystring readline repl stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib '
  + 'node').split(' '))
