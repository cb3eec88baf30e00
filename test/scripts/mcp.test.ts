import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import t, { type Test } from 'tap'
import { ROOT, SCRIPTED, commandLine, isAlive } from '../support/cli.js'
import { startBackend, say } from '../support/backend.js'
import { plugin, tempFolder, write } from '../support/folders.js'
import { call } from '../support/mcp.js'

const RUN = join(ROOT, 'scripts', 'run.mjs')
const INITIALIZE = message(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } })

function message (id: number, method: string, params: object = {}): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
}

const witnessed = (prompt: string) => message(2, 'tools/call', { name: 'a_witness', arguments: { prompt } })

function environment (t: Test): Record<string, string> {
  const runtime = tempFolder(t)
  const { PATH = '', HOME = '', NODE_V8_COVERAGE = '' } = process.env
  const own = { XDG_RUNTIME_DIR: runtime, SVC_MODELS_DIR: join(runtime, 'models'), SVC_BACKEND_SEARCH: 'none' }
  return { PATH, HOME, ...own, ...(NODE_V8_COVERAGE && { NODE_V8_COVERAGE }) }
}

/** The official client, which starts the command as its child process. */
async function connect (t: Test, flags: string[] = SCRIPTED): Promise<{ client: Client, pid: number, log: () => string }> {
  const transport = new StdioClientTransport({
    command: process.execPath, args: [RUN, 'mcp', ...flags], env: environment(t), cwd: ROOT, stderr: 'pipe'
  })
  let log = ''
  transport.stderr?.on('data', part => { log += String(part) })
  const client = new Client({ name: 'test', version: '1' })
  t.teardown(() => client.close())
  await client.connect(transport)
  return { client, pid: transport.pid ?? 0, log: () => log }
}

async function until (condition: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + 60_000; !condition();) {
    if (Date.now() > end) throw new Error(`timed out waiting until ${what}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** An agent that records in a file how its run goes on, and that prints to standard output, which it should not. */
function witness (t: Test): { dir: string, seen: () => string } {
  const file = join(tempFolder(t), 'seen')
  const dir = write(tempFolder(t), {
    'witness/index.mjs': plugin('a/witness', { class_name: 'witness.agent.Witness', init_params: {}, description: 'A witness' }),
    'witness/agent.mjs': `import { appendFileSync } from 'node:fs'
console.log('printed while it loads')
export class Witness {
  modelInfo () { return { max_input_tokens: 100, max_output_tokens: 50 } }
  async * reply (request, signal) {
    console.log('printed while it runs')
    process.stdout.write('{"and": "this"}\\n')
    appendFileSync(${JSON.stringify(file)}, 'began;')
    signal.addEventListener('abort', () => appendFileSync(${JSON.stringify(file)}, 'aborted;'))
    if (request.messages.at(-1).content === 'quick') return yield 'done'
    await new Promise((resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
}
`
  })
  write(join(file, '..'), { seen: '' })
  return { dir, seen: () => readFileSync(file, 'utf8') }
}

void t.test('a client that starts the command finds the tools and calls them, and the command ends with it', async t => {
  const backend = await startBackend(t, say('The answer is 42.'))
  const { client, pid, log } = await connect(t, [...SCRIPTED, '--backend-url', backend.url])
  const { tools } = await client.listTools()
  t.strictSame(tools.map(({ name }) => name), ['svc-code', 'scripted', 'narrow', 'check_code', 'test_code', 'run_code'])
  t.match(await call(client, 'svc-code', { prompt: 'What is six times seven?' }), { content: [{ text: /42/ }] })
  const job = { language: 'python', files: { 'a.py': 'print(6 * 7)' }, entry: 'a.py' }
  t.match(await call(client, 'run_code', job), { structuredContent: { stdout: '42\n', exitCode: 0 } })
  await client.close()
  await until(() => !isAlive(pid), 'the command is gone')
  t.notMatch(log(), /"level":[56]0/)
})

void t.test('progress is sent over the pipe, and a cancelled call ends only its own run', async t => {
  const { dir, seen } = witness(t)
  const { client } = await connect(t, [...SCRIPTED, '--agents-dir', dir])
  const controller = new AbortController()
  const cancelled = t.rejects(call(client, 'a_witness', { prompt: 'wait' }, { signal: controller.signal }))
  const messages: unknown[] = []
  const steps = [{ type: 'progress', text: 'half of it' }, { wait: 1500 }, 'done']
  const other = call(client, 'scripted', { prompt: JSON.stringify(steps) }, { onprogress: ({ message }) => messages.push(message) })
  await until(() => seen() === 'began;', 'the run has begun')
  controller.abort()
  await cancelled
  await until(() => seen() === 'began;aborted;', 'the run has been aborted')
  t.match(await other, { content: [{ text: 'done' }] })
  t.equal(messages[0], 'half of it')
})

void t.test('standard output holds only messages of the protocol, whatever agents print', async t => {
  const { dir } = witness(t)
  const child = spawn(process.execPath, [RUN, 'mcp', '--debug', '--agents-dir', dir], { env: environment(t), cwd: ROOT })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', part => { out += part })
  child.stderr.setEncoding('utf8').on('data', part => { err += part })
  child.stdin.write(INITIALIZE + witnessed('quick'))
  await until(() => out.split('\n').length > 2, 'there are two answers')
  child.stdin.end()
  const [code] = await once(child, 'close') as [number]
  t.equal(code, 0)
  const answers = out.trim().split('\n').map(line => JSON.parse(line) as { id: number })
  t.strictSame(answers.map(({ id }) => id), [1, 2])
  t.match(answers[1], { result: { content: [{ text: 'done' }] } })
  t.match(err, /printed while it loads[^]*printed while it runs/)
})

for (const way of ['its input ends', 'it gets SIGTERM', 'its reader is gone', 'a message is too long'] as const) {
  void t.test(`when ${way}, the command aborts its run and exits`, async t => {
    const { dir, seen } = witness(t)
    const child = spawn(process.execPath, [RUN, 'mcp', '--agents-dir', dir], {
      env: environment(t), cwd: ROOT, stdio: ['pipe', 'pipe', 'ignore']
    })
    child.stdin.on('error', () => undefined)
    child.stdin.write(INITIALIZE + witnessed('wait'))
    await until(() => seen() === 'began;', 'the run has begun')
    if (way === 'its input ends') child.stdin.end()
    else if (way === 'it gets SIGTERM') child.kill('SIGTERM')
    else if (way === 'a message is too long') child.stdin.write('x'.repeat(17 * 1024 * 1024))
    else {
      child.stdout.destroy()
      child.stdin.write(message(3, 'tools/list'))
    }
    const [code] = await once(child, 'exit') as [number]
    t.equal(code, 0)
    t.equal(seen(), 'began;aborted;')
  })
}

void t.test('a command that cannot start says why on standard error, with exit code 1', async t => {
  const cli = commandLine(t)
  for (const [flags, words] of [
    [['--agents-dir', '/not/there'], /\/not\/there/],
    [['--port', '8081'], /port/],
    [['--model', 'x', '--no-embedded'], /exclude each other/]
  ] as const) {
    const { code, out, err } = await cli.run(['mcp', ...flags])
    t.equal(code, 1)
    t.equal(out, '')
    t.match(err, words)
    t.notMatch(err, /^ +at /m, 'no stack')
  }
})
