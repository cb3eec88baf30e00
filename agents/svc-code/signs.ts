// The signs that decide the mode of a request, before any call of the model. Each rule has an example, which the tests read. A tone, a
// role, a verb or a natural language is no sign: in doubt the mode is `answer`.

export interface Sign {
  /** Texts in lower case, of which one must occur. */
  texts: readonly string[]
  /** They count only at the beginning. */
  starts?: boolean
  source: string
  example: string
}

/** Background calls, which front-ends make by themselves: they take no slot, and are one plain call. */
export const BACKGROUND: readonly Sign[] = [
  {
    texts: ['### task:'],
    starts: true,
    source: 'Open WebUI 0.6: titles, tags, follow-ups, queries',
    example: '### Task:\nGenerate a concise, 3-5 word title'
  },
  {
    texts: [
      'generate a concise', 'create a concise', 'generate a title', 'create a title', 'generate a short title', 'write a title',
      'suggest a title'
    ],
    starts: true,
    source: 'chat-ui, LobeChat',
    example: 'Generate a concise title for this conversation'
  },
  {
    texts: ['provide a concise, 5-word-or-less title', 'detect user language and write in the same language an extremely concise title'],
    starts: true,
    source: 'LibreChat 0.8: titleInstruction',
    example: 'Provide a concise, 5-word-or-less title for the conversation'
  },
  {
    texts: ['given the following... please reply with a title'],
    starts: true,
    source: 'Continue 1.x: chatDescriber',
    example: 'Given the following... please reply with a title for the chat that is 3-4 words in length'
  },
  {
    texts: ['summarize this conversation in', 'summarize the conversation in', 'summarise this conversation in'],
    starts: true,
    source: 'Jan, Msty: titles',
    example: 'Summarize this conversation in five words'
  }
]

/** Signs, in the system message or the first turn, that the caller has a format of its own and parses the reply. */
export const RELAY: readonly Sign[] = [
  { texts: ['search/replace'], source: 'Aider 0.86: diff format', example: 'ONLY EVER RETURN CODE IN A *SEARCH/REPLACE BLOCK*!' },
  { texts: ['<<<<<<< search', '------- search'], source: 'Aider, Cline: markers', example: '<<<<<<< SEARCH' },
  { texts: ['file listing'], source: 'Aider 0.86: whole format', example: 'To suggest changes to a file you MUST return a *file listing*' },
  { texts: ['*** begin patch', '--- a/'], source: 'Codex: apply_patch, unified diffs', example: '*** Begin Patch' },
  {
    texts: [
      '<write_to_file>', '<execute_command>', '<read_file>', '<apply_diff>', '<attempt_completion>', '<replace_in_file>', '<tool_call>',
      '<function_call', '<invoke', '<tool_use'
    ],
    source: 'Cline, Roo Code, Hermes: tools in tags',
    example: '<write_to_file>\n<path>File path here</path>'
  },
  {
    texts: [
      'you have access to a set of tools',
      'you have access to the following tools',
      'you are given access to the following tools',
      'you can use the following tools'
    ],
    source: 'ReAct prompts, LangChain',
    example: 'You have access to the following tools:'
  },
  {
    texts: ['<fim_prefix>', '<fim_suffix>', '<|fim_prefix|>', '<|fim_middle|>', '<fim_middle>', '[suffix]', '<pre>', '<｜fim'],
    source: 'StarCoder, Qwen, Codestral, DeepSeek: fill in the middle',
    example: '<|fim_prefix|>def f('
  },
  {
    texts: ['{{fill_here}}', '{{hole_name}}', 'hole filler', '<completion>'],
    source: 'Continue 1.x: autocomplete by a chat model',
    example: 'You are a HOLE FILLER.'
  },
  {
    texts: ['the user has requested a section of code in a file to be rewritten'],
    source: 'Continue 1.x: edit prompt',
    example: 'The user has requested a section of code in a file to be rewritten.'
  },
  {
    texts: ['please apply it to the previous code', 'apply the following changes to the file', '// ... existing code ...'],
    source: 'Continue 1.x: apply prompt',
    example: 'Please apply it to the previous code. Leave existing comments in place'
  },
  {
    texts: [
      'respond only in json', 'respond only with json', 'answer in json with', 'reply only with json', 'output only valid json',
      'return only valid json', 'only the json', 'only valid json', 'respond with a json object', 'json schema'
    ],
    source: 'prompts of programs',
    example: 'Respond only in JSON with the keys name and age.'
  },
  {
    texts: ['respond only in xml', 'output only valid xml', 'respond only in yaml', 'output only the diff', 'output a unified diff'],
    source: 'prompts of programs',
    example: 'Output only valid XML.'
  }
]

/** Signs of a new project: the noun, and a word such as "create" before it. */
export const PROJECT = {
  nouns: [
    'project', 'package', 'library', 'monorepo', 'boilerplate', 'skeleton', 'projekt', 'paket', 'bibliothek', 'proyecto', 'paquete',
    'biblioteca', 'projet', 'bibliothèque', 'progetto', 'projeto'
  ],
  makers: [
    'create', 'build', 'scaffold', 'set up', 'setup', 'generate', 'bootstrap', 'start', 'erstell', 'bau', 'crea', 'construye', 'genera',
    'crée', 'construis', 'génère', 'crie', 'make', 'write', 'implement', 'develop', 'new', 'neues', 'nuevo', 'nouveau'
  ],
  examples: [
    'Create a small Python package `wordtally`',
    'Build a small TypeScript library `interval-set` without dependencies',
    'fastapi Projekt mit app/main.py und app/models.py'
  ]
} as const

/** Signs that only formatting is asked for. */
export const FORMAT = {
  verbs: ['format', 'reformat', 'prettify', 'lint and format', 'run black', 'run prettier', 'formatier', 'formatea', 'formate', 'formatta'],
  examples: ['Please format this:', 'reformat this code', 'Formatiere diesen Code']
} as const
