// Recognises what a Python program does when it is started (its nature), and makes copies that are safe to load.
import { codeOf, emptied, hasSign, wordsIn } from '../code.js'
import type { Nature, Statement } from '../profile.js'
import { SYNTAX, importsOf, isGuard, statementsOf } from './statements.js'

/** Signs of calls that listen until they are stopped. */
const SERVES = [
  'uvicorn.run', 'app.run', '.serve_forever', 'run_app', 'web.run', 'serve(', 'socketio.run', 'bot.run', 'client.run', '.run_polling',
  '.start_polling', '.infinity_polling', '.polling(', 'run_until_disconnected', '.launch(', 'mcp.run', 'asyncio.start_server'
]
/** Libraries of servers. */
const SERVERS = new Set([
  'fastapi', 'flask', 'uvicorn', 'aiohttp', 'sanic', 'starlette', 'tornado', 'bottle', 'discord', 'telegram', 'aiogram', 'telebot',
  'django', 'litestar', 'quart', 'gradio', 'socketserver', 'http'
])
const WINDOWS = [
  '.mainloop', 'pygame.display', 'turtle.done', 'plt.show', 'app.exec', 'curses.wrapper', 'arcade.run', 'pyglet.app.run', 'st.'
]
const WINDOW_LIBRARIES = new Set([
  'tkinter', 'pygame', 'turtle', 'PyQt5', 'PyQt6', 'PySide6', 'kivy', 'arcade', 'pyglet', 'streamlit', 'textual', 'curses', 'ursina', 'wx'
])
const INPUT = ['input(', 'sys.stdin', 'fileinput', 'getpass(']
const ARGUMENTS = ['sys.argv', 'argparse', 'click', 'typer', 'docopt', 'fire.Fire']

export function natureOf (source: string): Nature {
  const code = codeOf(source, SYNTAX)
  const libraries = importsOf(source).map(name => name.split('.', 1)[0] ?? '')
  if (libraries.some(name => WINDOW_LIBRARIES.has(name)) || WINDOWS.some(sign => sign !== 'st.' && code.includes(sign))) return 'window'
  if (SERVES.some(sign => code.includes(sign)) || libraries.some(name => SERVERS.has(name))) {
    return code.includes('http.client') ? 'script' : 'server'
  }
  const statements = statementsOf(source)
  const defines = statements.some(({ kind, names }) => kind === 'definition' && names.length > 0)
  const works = statements.some(({ kind, text }) => kind === 'run' && !isGuard(text) && !(defines && isDemonstration(text)))
    || readsInput(source)
    || readsArguments(source)
    || statements.some(({ text }) => isGuard(text))
  return works && !isLibraryWithGuard(statements, source) ? 'script' : 'definitions'
}

/** Whether a program consists of functions, and below them only a main guard or calls that demonstrate them. */
function isLibraryWithGuard (statements: readonly Statement[], source: string): boolean {
  const defines = statements.filter(({ kind, names }) => kind === 'definition' && names.length > 0 && !names.includes('main'))
  const runs = statements.filter(({ kind }) => kind === 'run')
  if (defines.length === 0 || readsArguments(source)) return false
  const others = runs.filter(({ text }) => !isGuard(text))
  const outside = statements.filter(({ kind, text }) => kind !== 'definition' && !isGuard(text)).map(({ text }) => text).join('\n')
  return !readsInput(outside)
    && others.every(({ text }) => isDemonstration(text))
    && !defines.some(({ text }) => readsInput(text))
}

/** Whether a statement only prints or asserts something. */
function isDemonstration (text: string): boolean {
  return /^\s*(?:print|assert|for)\b/.test(text)
}

export function readsInput (source: string): boolean {
  return hasSign(source, INPUT, SYNTAX)
}

export function readsArguments (source: string): boolean {
  return hasSign(source, ARGUMENTS, SYNTAX)
}

/** The line to leave out of a statement's copy, because loading it would never end or wait for input; undefined if there is none. */
function blockingLine ({ text, kind }: Statement): string | undefined {
  if (isGuard(text)) return 'main guard'
  if (kind !== 'run' && kind !== 'binding') return undefined
  const code = codeOf(text, SYNTAX)
  if (/^\s*while (?:True|1)\b/.test(code)) return 'while True'
  const sign = [...SERVES, ...WINDOWS.filter(each => each !== 'st.'
    && each !== 'pygame.display'), ...INPUT].find(each => code.includes(each))
  if (sign !== undefined) return kind === 'binding' && !INPUT.includes(sign) ? undefined : lineOf(text)
  return kind === 'run' && /^\s*(?:asyncio\.run\(|(?:await )?main\(|run\(|start\(|cli\(|app\(|exit\(|sys\.exit\(|typer\.run\()/.test(code)
    ? lineOf(text)
    : undefined
}

function lineOf (text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 60) ?? ''
}

export function loadable (source: string): string {
  const statements = statementsOf(source)
  const left = leftIn(statements)
  return statements.map(statement => left.has(statement) ? emptied(statement.text) : statement.text).join('\n')
}

/** The statements that a loadable copy leaves out: those that would never end, and those that use names bound by them. */
function leftIn (statements: readonly Statement[]): Set<Statement> {
  const left = new Set<Statement>()
  const lost = new Set<string>()
  for (const statement of statements) {
    const { kind, names, text } = statement
    const leans = lost.size > 0 && (kind === 'run' || kind === 'binding') && [...wordsIn(codeOf(text, SYNTAX))].some(word => lost.has(word))
    if (!leans && blockingLine(statement) === undefined) continue
    left.add(statement)
    for (const name of names) lost.add(name)
  }
  return left
}

export function bare (source: string): string {
  const statements = statementsOf(source)
  const left = leftIn(statements)
  return statements
    .map(statement => statement.kind === 'run' || left.has(statement) ? emptied(statement.text) : statement.text)
    .join('\n')
}

export function leftOut (source: string): string[] {
  return statementsOf(source).flatMap(statement => {
    const left = isGuard(statement.text) ? undefined : blockingLine(statement)
    return left === undefined ? [] : [left]
  })
}

const OUTSIDE = [
  'requests.', 'urllib', 'httpx', 'socket.', 'subprocess', 'os.system', 'open(', 'Path(', 'random.', 'secrets.', 'uuid.', 'time.time',
  'datetime.now', 'datetime.today', 'date.today', 'sqlite3', 'smtplib', 'os.listdir', 'os.walk', 'glob.'
]

export function reachesOut (source: string): boolean {
  return hasSign(source, OUTSIDE, SYNTAX)
}
