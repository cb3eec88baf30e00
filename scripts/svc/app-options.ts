import type { AppOptions } from '../../app.js'
import type { Question } from '../../plugins/backend/models/question.js'
import { showBar } from './bar.js'
import type { ServingArgs } from './flags.js'

type Given = <K extends keyof ServingArgs, N extends string>(flag: K, name: N) => { [key in N]?: NonNullable<ServingArgs[K]> }

/** What the flags that all ways of serving share say: the language model, the agents, their runs and their code. */
export function appOptions (args: ServingArgs, pull: boolean | Question): AppOptions {
  const given = ((flag, name) => args[flag] === undefined ? {} : { [name]: args[flag] }) as Given
  return {
    agentsDirs: args['agents-dir'],
    runTimeout: args['run-timeout'] * 1000,
    progress: !args['no-progress'],
    ...(args.debug && { traceRuns: true }),
    backendSearch: args['backend-search'],
    ...(!args['no-embedded'] && { engine: engine(args, pull) }),
    backendDeadlines: { firstToken: args['first-token-timeout'] * 1000, nextToken: args['next-token-timeout'] * 1000 },
    ...given('backend-url', 'backendUrl'),
    ...given('backend-model', 'backendModel'),
    ...given('backend-key', 'backendKey'),
    ...given('packages', 'packages'),
    agentOptions: {
      ...given('workspace', 'workspace'),
      ...given('max-model-calls', 'max_model_calls'),
      ...given('max-model-tokens', 'max_model_tokens'),
      ...given('max-model-seconds', 'max_model_seconds')
    },
    ...given('max-runs', 'maxRuns'),
    ...given('max-queue', 'maxQueue')
  }
}

type Engine = NonNullable<AppOptions['engine']>

function engine ({ model, threads, 'models-dir': folder, 'no-gpu': noGpu }: ServingArgs, pull: boolean | Question): Engine {
  return {
    pull,
    folder,
    useGpu: !noGpu,
    ...(model !== undefined && { model }),
    ...(threads !== undefined && { threads }),
    ...(process.stderr.isTTY && { onPace: showBar })
  }
}
