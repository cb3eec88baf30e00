import { existsSync } from 'node:fs'
import yargs, { type Argv } from 'yargs'
import { ROOT, VERSION } from '../app.js'
import { NEW_AGENT_FLAGS, newAgent } from './svc/new-agent.js'
import { ADDRESS_FLAGS, MODELS_FLAGS, START_FLAGS, STATUS_FLAGS, blaming, withEnvironment } from './svc/flags.js'
import { leaveThread } from './svc/folders.js'
import { listModels, pullModel, removeModel, whichModel } from './svc/model.js'
import { start } from './svc/start.js'
import { status } from './svc/status.js'
import { stop } from './svc/stop.js'
import { VERIFY_FLAGS, verify } from './svc/verify.js'
import { wrongArguments } from './svc/wrong-arguments.js'

/** The command that was chosen. It gives its exit code, or nothing where it stays. */
let chosen: (() => Promise<number | undefined>) | undefined

const FLAGS: Record<string, object> = { start: START_FLAGS, status: STATUS_FLAGS, stop: ADDRESS_FLAGS, verify: VERIFY_FLAGS, model: MODELS_FLAGS, 'new-agent': NEW_AGENT_FLAGS }
const COMMANDS = Object.keys(FLAGS)
const MODEL_COMMANDS = ['list', 'pull', 'rm', 'which']

const cli = yargs(process.argv.slice(2))
  .scriptName('svc')
  .usage('Serves software agents as chat-completion models.\n\nUsage: npm start -- [flags]')
  .parserConfiguration({ 'boolean-negation': false })
  .command('start', 'Starts the service in the foreground', withExamples, argv => { chosen = () => start(argv) })
  .command('status', 'Tells what runs on a port', args => args.options(withEnvironment(STATUS_FLAGS)), argv => { chosen = () => status(argv) })
  .command('stop', 'Stops the service on a port', args => args.options(withEnvironment(ADDRESS_FLAGS)), argv => { chosen = () => stop(argv) })
  .command('new-agent <name>', 'Writes the folder of a new agent', args => args
    .positional('name', { type: 'string', demandOption: true, describe: 'Its folder and model id, such as my-agent' })
    .options(withEnvironment(NEW_AGENT_FLAGS)), argv => { chosen = () => newAgent(argv) })
  .command('verify <dir>', 'Formats (check only), lints, types and tests a folder of Python or TypeScript in the sandbox', args => args
    .positional('dir', { type: 'string', demandOption: true, describe: 'The folder' })
    .options(withEnvironment(VERIFY_FLAGS)), argv => { chosen = () => verify(argv) })
  .command('model', 'Lists, downloads and removes models that this service can run itself', withModelCommands)
  .demandCommand(1, `Say what to do: ${COMMANDS.join(', ')}.`)
  .strict()
  .version(VERSION)
  .help()
  .alias('help', 'h')
  .wrap(Math.min(120, process.stdout.columns ?? 100))
  .fail((message, error) => {
    if (error && !message) throw error
    const typed = process.argv.slice(2)
    const [command = 'start', ...rest] = typed
    const isOfValue = message.startsWith('--') // thrown by a flag in flags.ts; yargs hands on no more than the words
    const words = isOfValue
      ? blaming(message)
      : command === 'model' ? wrongArguments(message, rest, { commands: MODEL_COMMANDS, flags: Object.keys(MODELS_FLAGS) }) : wrongArguments(message, typed, { commands: COMMANDS, flags: Object.keys(FLAGS[command] ?? {}) })
    console.error(`${words}\n${isOfValue ? '' : 'Flags go after two dashes, as in: npm start -- --port 8081. '}All flags: ${helpOf(command)}`)
    process.exit(1)
  })

function helpOf (command: string): string {
  if (!COMMANDS.includes(command) || command === 'start') return 'npm start -- --help'
  return command === 'stop' ? 'npm stop -- --help' : `npm run ${command} -- --help`
}

function withModelCommands (args: Argv) {
  const named = (args: Argv) => args.positional('name', { type: 'string', demandOption: true, describe: 'A name of the list, or hf:user/repo:Q4_K_M' }).options(withEnvironment(MODELS_FLAGS))
  return args
    .command('list', 'Names the models that are known, and those that are here', args => args.options(withEnvironment(MODELS_FLAGS)), argv => { chosen = () => listModels(argv) })
    .command('pull <name>', 'Downloads a model', named, argv => { chosen = () => pullModel(argv) })
    .command('rm <name>', 'Removes a model that was downloaded', named, argv => { chosen = () => removeModel(argv) })
    .command('which', 'Tells which model is used if none is named, and where it lies', args => args.options(withEnvironment(MODELS_FLAGS)), argv => { chosen = () => whichModel(argv) })
    .demandCommand(1, 'Say what to do: npm run model -- list, pull NAME, rm NAME or which.')
}

function withExamples (args: Argv) {
  return args
    .usage('Usage: npm start -- [flags]\n\nEvery flag can also be set in the environment, --backend-url as SVC_BACKEND_URL; the command line wins.')
    .options(withEnvironment(START_FLAGS))
    .example('npm start -- --backend-url http://127.0.0.1:1234/v1', 'with the model of a local server')
    .example('npm start -- --model demo', 'with a model that only recites, to see the whole road')
    .example('npm start -- --host 0.0.0.0 --api-key SECRET', 'reachable from other machines, with a key')
    .example('npm start -- --port 8081 --debug', 'on another port, with a trace of each run')
    .example('npm start -- --agents-dir ~/agents --alias gpt-4o=svc-code', 'with agents of your own, and a name that a client insists on')
    .epilogue('Then: npm run status, npm stop')
}

// npm runs a script in the project's folder; paths are meant from where the command was typed.
const { INIT_CWD: typedIn } = process.env
if (typedIn !== undefined && existsSync(typedIn) && process.cwd() === ROOT) process.chdir(typedIn)

// yargs renders its whole help behind a handler that is done, so none waits for the command itself.
try {
  await cli.parseAsync()
  const code = await chosen?.()
  if (code !== undefined) {
    process.exitCode = code
    setTimeout(() => process.exit(), 500).unref() // what an agent left running keeps no command from its end
  }
} catch (error) {
  console.error(error instanceof Error ? blaming(error.message) : String(error))
  leaveThread(error)
  process.exit(1)
}
