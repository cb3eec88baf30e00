import yargs, { type Argv } from 'yargs'
import { VERSION } from '../../app.js'
import { ADDRESS_FLAGS, MCP_FLAGS, MODELS_FLAGS, START_FLAGS, STATUS_FLAGS, UsageError, blaming, withEnvironment } from './flags.js'
import { mcp } from './mcp.js'
import { listModels, pullModel, removeModel, whichModel } from './model.js'
import { NEW_AGENT_FLAGS, newAgent } from './new-agent.js'
import { start } from './start.js'
import { status } from './status.js'
import { stop } from './stop.js'
import { VERIFY_FLAGS, verify } from './verify.js'
import { wrongArguments } from './wrong-arguments.js'

/** A command with its arguments. It returns its exit code, or nothing if it keeps running. */
export type Command = () => Promise<number | undefined>

type Choose = (command: Command) => void

const FLAGS: Record<string, object> = {
  start: START_FLAGS,
  status: STATUS_FLAGS,
  stop: ADDRESS_FLAGS,
  mcp: MCP_FLAGS,
  verify: VERIFY_FLAGS,
  model: MODELS_FLAGS,
  'new-agent': NEW_AGENT_FLAGS
}
const COMMANDS = Object.keys(FLAGS)
const MODEL_COMMANDS = ['list', 'pull', 'rm', 'which']

/** The command that was typed. Throws an error with a message for the person who typed it. Help and version are printed here. */
export async function commandOf (typed: readonly string[]): Promise<Command> {
  let chosen: Command = () => Promise.resolve(undefined)
  // The handlers only select the command: yargs renders its whole help after each handler, which would delay the end of a command.
  await parser(typed, command => { chosen = command }).parseAsync()
  return chosen
}

function parser (typed: readonly string[], choose: Choose) {
  return yargs([...typed])
    .scriptName('svc')
    .usage('Serves software agents as chat-completion models.\n\nUsage: npm start -- [flags]')
    .parserConfiguration({ 'boolean-negation': false })
    .command('start', 'Starts the service in the foreground', withExamples, argv => { choose(() => start(argv)) })
    .command('status', 'Shows what runs on a port', args => args.options(withEnvironment(STATUS_FLAGS)), argv => {
      choose(() => status(argv))
    })
    .command('stop', 'Stops the service on a port', args => args.options(withEnvironment(ADDRESS_FLAGS)), argv => {
      choose(() => stop(argv))
    })
    .command('mcp', 'Serves agents and sandbox as tools over stdin and stdout (Model Context Protocol)', withMcpExamples, argv => {
      choose(() => mcp(argv))
    })
    .command('new-agent <name>', 'Writes the folder of a new agent', args => args
      .positional('name', { type: 'string', demandOption: true, describe: 'Its folder and model id, such as my-agent' })
      .options(withEnvironment(NEW_AGENT_FLAGS)), argv => { choose(() => newAgent(argv)) })
    .command('verify <dir>', 'Formats (check only), lints, types and tests a folder of Python or TypeScript in the sandbox', args => args
      .positional('dir', { type: 'string', demandOption: true, describe: 'The folder' })
      .options(withEnvironment(VERIFY_FLAGS)), argv => { choose(() => verify(argv)) })
    .command('model', 'Lists, downloads and removes models that this service can run itself', args => withModelCommands(args, choose))
    .demandCommand(1, `Say what to do: ${COMMANDS.join(', ')}.`)
    .strict()
    .version(VERSION)
    .help()
    .alias('help', 'h')
    .wrap(Math.min(120, process.stdout.columns ?? 100))
    .fail((message, error) => {
      if (error && !message) throw error
      throw new UsageError(complaint(message, typed))
    })
}

/** What is wrong with the arguments, and where to read more. */
function complaint (message: string, typed: readonly string[]): string {
  const [command = 'start', ...rest] = typed
  const isOfValue = message.startsWith('--') // thrown for a flag's value in flags.ts: yargs passes on only the message
  const flags = isOfValue ? '' : 'Flags go after two dashes, as in: npm start -- --port 8081. '
  return `${isOfValue ? blaming(message, typed) : ofArguments()}\n${flags}All flags: ${helpOf(command)}`

  function ofArguments (): string {
    return command === 'model'
      ? wrongArguments(message, rest, { commands: MODEL_COMMANDS, flags: Object.keys(MODELS_FLAGS) })
      : wrongArguments(message, typed, { commands: COMMANDS, flags: Object.keys(FLAGS[command] ?? {}) })
  }
}

function helpOf (command: string): string {
  if (!COMMANDS.includes(command) || command === 'start') return 'npm start -- --help'
  return command === 'stop' ? 'npm stop -- --help' : `npm run ${command} -- --help`
}

function withModelCommands (args: Argv, choose: Choose) {
  const plain = (args: Argv) => args.options(withEnvironment(MODELS_FLAGS))
  const named = (args: Argv) => plain(args)
    .positional('name', { type: 'string', demandOption: true, describe: 'A name of the list, or hf:user/repo:Q4_K_M' })
  return args
    .command('list', 'Lists the models that have a short name, and those that are here', plain, argv => { choose(() => listModels(argv)) })
    .command('pull <name>', 'Downloads a model', named, argv => { choose(() => pullModel(argv)) })
    .command('rm <name>', 'Removes a model that was downloaded', named, argv => { choose(() => removeModel(argv)) })
    .command('which', 'Shows which model is used if none is named, and where it is', plain, argv => { choose(() => whichModel(argv)) })
    .demandCommand(1, 'Say what to do: npm run model -- list, pull NAME, rm NAME or which.')
}

function withMcpExamples (args: Argv) {
  return args
    .usage('Usage: node scripts/run.mjs mcp [flags]\n\nFor clients that start it themselves. '
      + 'npm writes lines of its own to stdout: use "npm run --silent mcp".')
    .options(withEnvironment(MCP_FLAGS))
}

function withExamples (args: Argv) {
  return args
    .usage('Usage: npm start -- [flags]\n\n'
      + 'Every flag can also be set in the environment, --backend-url as SVC_BACKEND_URL; the command line wins.')
    .options(withEnvironment(START_FLAGS))
    .example('npm start -- --backend-url http://127.0.0.1:1234/v1', 'with the model of a local server')
    .example('npm start -- --model demo', 'with a model that only recites, to see how it works')
    .example('npm start -- --host 0.0.0.0 --api-key SECRET', 'reachable from other machines, with a key')
    .example('npm start -- --port 8081 --debug', 'on another port, with a trace of each run')
    .example('npm start -- --agents-dir ~/agents --alias gpt-4o=svc-code', 'with agents of your own, and another name for svc-code')
    .epilogue('Then: npm run status, npm stop')
}
