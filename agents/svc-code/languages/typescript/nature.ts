// Recognises what a TypeScript or JavaScript program does when it is started (its nature), and makes copies that are safe to load.
import { codeOf, emptied, hasSign, wordsIn } from '../code.js'
import type { Nature, Statement } from '../profile.js'
import { importsOf } from './imports.js'
import { statementsOf } from './statements.js'
import { SYNTAX } from './syntax.js'

const SERVES = [
  '.listen(', 'Bun.serve', 'Deno.serve', 'serve(', 'app.start(', '.login(', 'startStandaloneServer', 'bot.launch', 'bot.start(',
  '.createServer('
]
const SERVERS = new Set([
  'express', 'fastify', 'hono', 'koa', 'socket.io', 'ws', 'discord.js', 'telegraf', 'node:http', 'http', 'node:net', 'net', '@nestjs/core',
  'electron', 'grammy', 'polka', 'apollo-server', 'bullmq', 'express-session'
])
const PAGES = ['document.', 'window.', 'localStorage', 'customElements', 'canvas.getContext', 'requestAnimationFrame']
const PAGE_LIBRARIES = [
  'react', 'vue', 'svelte', 'solid-js', 'preact', 'three', 'phaser', 'd3', 'next', 'obsidian', 'vscode', 'react-dom', 'react-native',
  '@angular/core', 'jquery', 'chart.js', 'pixi.js', 'lit', '@remix-run/react', 'nuxt', 'astro'
]
const INPUT = ['process.stdin', 'readline', 'Deno.stdin', 'readFileSync(0', 'prompt(']
const ARGUMENTS = ['process.argv', 'parseArgs', 'Deno.args', 'commander', 'yargs']

/** Files that a page or a framework shows. */
const SHOWN = ['.jsx', '.tsx', '.vue', '.svelte']

export function natureOf (source: string, path: string): Nature {
  const code = codeOf(source, SYNTAX)
  const libraries = importsOf(source)
  if (SHOWN.some(ending => path.endsWith(ending))
    || libraries.some(name => PAGE_LIBRARIES.some(library => name === library || name.startsWith(`${library}/`)))
    || PAGES.some(sign => code.includes(sign))) {
    return 'component'
  }
  if (libraries.some(name => SERVERS.has(name)) || SERVES.some(sign => code.includes(sign))) return 'server'
  const statements = statementsOf(source)
  const defines = statements.some(({ kind, names }) => kind === 'definition' && names.length > 0)
  const runs = statements.filter(({ kind }) => kind === 'run')
  const isFed = readsArguments(source) || readsInput(source)
  const works = runs.some(({ text }) => !defines || !isDemonstration(text))
  return isFed || works ? 'script' : 'definitions'
}

function isDemonstration (text: string): boolean {
  return /^\s*(?:console\.|module\.exports|exports\.|for\b|assert)/.test(text)
}

export function readsInput (source: string): boolean {
  return hasSign(source, INPUT, SYNTAX)
}

export function readsArguments (source: string): boolean {
  return hasSign(source, ARGUMENTS, SYNTAX)
}

function blockingLine ({ text, kind }: Statement): string | undefined {
  if (kind !== 'run') return undefined
  const code = codeOf(text, SYNTAX)
  if (/^\s*(?:while\s?\((?:true|1)\)|for\s?\(;;\))/.test(code)) return 'while (true)'
  const sign = [...SERVES.filter(each => each !== '.createServer('), ...INPUT].find(each => code.includes(each))
  return sign !== undefined || /^\s*(?:await )?(?:main|run|start|cli)\s?\(/.test(code)
    ? text.trim().split('\n', 1)[0]?.slice(0, 60) ?? ''
    : undefined
}

export function loadable (source: string): string {
  return statementsOf(source).map(statement => blockingLine(statement) === undefined ? statement.text : emptied(statement.text)).join('\n')
}

export function bare (source: string): string {
  return statementsOf(source).map(statement => statement.kind === 'run' ? emptied(statement.text) : statement.text).join('\n')
}

export function leftOut (source: string): string[] {
  return statementsOf(source).flatMap(statement => blockingLine(statement) ?? [])
}

const OUTSIDE = [
  'fetch(', 'axios', 'Math.random', 'Date.now', 'new Date(', 'crypto.', 'readFile', 'writeFile', 'process.env', 'child_process',
  'setTimeout', 'XMLHttpRequest', 'WebSocket'
]

export function reachesOut (source: string): boolean {
  const code = codeOf(source, SYNTAX)
  const readsFiles = importsOf(source).some(name => name.replace('node:', '').startsWith('fs'))
  return readsFiles || OUTSIDE.some(sign => code.includes(sign)) || leansOnPlatform(source, code)
}

const STANDARD = new Set(('Array ArrayBuffer BigInt Boolean Date Error Function Infinity Intl Iterator JSON Map Math Number Object Promise '
  + 'Proxy RangeError Reflect RegExp Set '
  + 'String Symbol SyntaxError TypeError URL URLSearchParams Uint8Array WeakMap WeakSet NaN AbortController AbortSignal Buffer '
  + 'TextDecoder TextEncoder').split(' '))

/** Whether the code uses an object of a platform that is not available here, such as `SpreadsheetApp.getUi()`. */
function leansOnPlatform (source: string, code: string): boolean {
  const own = new Set([...statementsOf(source).flatMap(({ names }) => names), ...importedNames(code)])
  return [...wordsIn(code)].some(name => /^[A-Z][a-z]/.test(name) && code.includes(`${name}.`) && !own.has(name) && !STANDARD.has(name))
}

/** All words in lines with imports. */
function importedNames (code: string): string[] {
  const lines = code.split('\n').filter(line => line.trimStart().startsWith('import ') || line.includes('require('))
  return lines.flatMap(line => line.match(/[A-Za-z_$][\w$]*/g) ?? [])
}
