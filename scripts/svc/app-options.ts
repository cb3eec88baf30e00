import type { AppOptions } from '../../app.js'
import type { Question } from '../../plugins/backend/models/question.js'
import { showBar } from './bar.js'
import type { ServingArgs } from './flags.js'

type OptionOf = <K extends keyof ServingArgs, N extends string>(flag: K, name: N) => { [key in N]?: NonNullable<ServingArgs[K]> }

/** The options of the app from the flags that `start` and `mcp` share: about the language model, agents, runs and the sandbox. */
export function appOptions (args: ServingArgs, pull: boolean | Question): AppOptions {
  const option = ((flag, name) => args[flag] === undefined ? {} : { [name]: args[flag] }) as OptionOf
  return {
    agentsDirs: args['agents-dir'],
    runTimeout: args['run-timeout'] * 1000,
    progress: !args['no-progress'],
    ...(args.debug && { traceRuns: true }),
    backendSearch: args['backend-search'],
    ...(!args['no-embedded'] && { engine: engine(args, pull) }),
    backendDeadlines: { firstToken: args['first-token-timeout'] * 1000, nextToken: args['next-token-timeout'] * 1000 },
    ...option('backend-url', 'backendUrl'),
    ...option('backend-model', 'backendModel'),
    ...option('backend-key', 'backendKey'),
    ...option('packages', 'packages'),
    agentOptions: {
      ...option('workspace', 'workspace'),
      ...option('max-model-calls', 'max_model_calls'),
      ...option('max-model-tokens', 'max_model_tokens'),
      ...option('max-model-seconds', 'max_model_seconds')
    },
    ...option('max-runs', 'maxRuns'),
    ...option('max-queue', 'maxQueue')
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
