import { readExamples } from '../../../agents/svc-code/examples/read.js'
import { PROFILES } from '../../../agents/svc-code/languages/index.js'
import { requestedLanguage } from '../../../agents/svc-code/languages/requested-language.js'
import { mayBeProgram, parseReply } from '../../../agents/svc-code/reply/parse-reply.js'
import { Cleaner } from '../../../agents/svc-code/reply/clean.js'
import { Outlet } from '../../../agents/svc-code/reply/outlet.js'
import { pathsOf } from '../../../agents/svc-code/delivery/names.js'
import { suitesOf } from '../../../agents/svc-code/project/tests.js'
import { type ProjectKind, SCAFFOLDS, scaffoldOf } from '../../../agents/svc-code/scaffolds/index.js'
import { readConversation } from '../../../agents/svc-code/conversation.js'
import { FrameReader } from '../../../plugins/sandbox/frames.js'
import { Reasoning } from '../../../plugins/backend/reasoning.js'
import { StopTexts } from '../../../plugins/backend/embedded/child/stop-texts.js'
import { Tally } from '../../../plugins/runs/tally.js'
import { countMessageTokens } from '../../../plugins/backend/tokens.js'
import { refusal } from '../../../plugins/backend/refusal.js'

// Most functions are called as their types tell. Here is what the types don't say.

type Call = (text: string) => unknown

const PARTS = 64

/** The text in as many parts as a stream may bring it. */
function inParts (text: string, take: (part: string) => unknown): void {
  const length = Math.ceil(text.length / PARTS)
  for (let at = 0; at < text.length; at += length) take(text.slice(at, at + length))
}

const HINTS = { profiles: PROFILES, mentions: (name: string) => name === 'f', isKnown: (name: string) => name === 'a' }
const conversationOf = (text: string) => readConversation([{ role: 'user', content: text }], PROFILES)

const parsedOf = (text: string) => parseReply({ text, onlyThought: false, finish: 'stop', loops: false }, HINTS)
// Wherever a scaffold looks, with what it looks for behind it.
const PROJECT = ['app/main.py', 'app/cli.py', 'config/settings.py', 'src/app.ts', 'src/cli.ts', 'src/App.tsx', 'src/App.vue']
const filesOf = (text: string) => Object.fromEntries(PROJECT.map(path => [path, text]))

/** How a function is called instead, by `file:name`. */
export const ADAPTERS: Readonly<Record<string, Call>> = {
  'plugins/backend/refusal.ts:refusal': text => refusal({ where: 'the backend', context: 4096, remedy: '' }, text, 500)
}

/** What is met in no parameter that is text, or in several calls. */
export const FURTHER: Readonly<Record<string, Call>> = {
  'class Reasoning': text => { const reasoning = new Reasoning(false); inParts(text, part => reasoning.take(part)); return reasoning.end() },
  'class Reasoning, open': text => { const reasoning = new Reasoning(true); inParts(text, part => reasoning.take(part)); return reasoning.end() },
  'class StopTexts': text => { const stops = new StopTexts(['\n\n\nEND', '</code>x']); inParts(text, part => stops.take(part)); return stops.end() },
  'class Tally': text => new Tally({ messages: [{ role: 'user', content: text }], temperature: 0.7, top_p: 1 }).usage(text),
  'class FrameReader': text => {
    const reader = new FrameReader('a', { outputBytes: 1e6, frameBytes: 1e6, framesBytes: 1e7, frames: 1000 })
    inParts(text, part => reader.push(Buffer.from(part)))
    return reader.rest
  },
  'class Cleaner': text => { const cleaner = new Cleaner(); inParts(text, part => cleaner.push(part)); cleaner.end(); return cleaner.whole() },
  'class Outlet': text => {
    const outlet = new Outlet({ profiles: PROFILES, mayBeProgram: seen => mayBeProgram(seen, HINTS) })
    inParts(text, part => outlet.push(part))
    return outlet.end()
  },
  parseReply: parsedOf,
  pathsOf: text => { const parsed = parsedOf(text); return parsed.type === 'programs' && pathsOf(parsed.draft, conversationOf('x'), undefined) },
  readConversation: conversationOf,
  requestedLanguage: text => requestedLanguage(conversationOf(text), PROFILES),
  ...Object.fromEntries(PROFILES.map(profile => [`readExamples, ${profile.name}`, (text: string) =>
    readExamples(conversationOf(text), { profile, names: new Map([['f', ['a']]]), isScript: true })])),
  ...Object.fromEntries(Object.keys(SCAFFOLDS).map(kind => [`scaffoldOf, ${kind}`, (text: string) =>
    scaffoldOf(kind as ProjectKind, { name: 'a', summary: 'b', files: filesOf(text) })])),
  ...Object.fromEntries(PROFILES.map(profile => [`suitesOf, ${profile.name}`, (text: string) => suitesOf([{
    planned: { path: `a${profile.endings[0] ?? ''}`, purpose: '', exports: '' }, profile, source: text, tests: [], trial: null, errors: [],
    missing: [], repaired: false
  }], {})])),
  countMessageTokens: text => countMessageTokens([{ role: 'user', content: text }])
}

const FILES = 'its text is a path, and it works on files'
const NETWORK = 'its text is an address, and it speaks to the network'
const TERMINAL = 'it writes to the terminal'
const OURS = 'its text is ours, in the code or the package'

/** What is not tried at all, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'plugins/agents/modules.ts:load': FILES,
  'plugins/agents/folders.ts:sourceFile': FILES,
  'plugins/backend/embedded/child/cores.ts:cores': FILES,
  'plugins/backend/embedded/child/cores.ts:quota': FILES,
  'plugins/backend/models/embedded.ts:chosen': FILES,
  'plugins/backend/models/hub.ts:locate': NETWORK,
  'plugins/backend/models/lock.ts:withLock': FILES,
  'plugins/backend/models/named.ts:namedModel': FILES,
  'plugins/backend/models/part.ts:Part.open': FILES,
  'plugins/backend/models/store.ts:isWhole': FILES,
  'plugins/backend/models/store.ts:kept': FILES,
  'plugins/backend/models/store.ts:placeOf': FILES,
  'plugins/backend/models/store.ts:remove': FILES,
  'plugins/backend/models/store.ts:writeReceipt': FILES,
  'plugins/backend/reciter/bpe.ts:trainMerges': OURS,
  'plugins/backend/reciter/gguf.ts:encodeGguf': OURS,
  'plugins/backend/reciter/reciter.ts:makeReciter': OURS,
  'plugins/backend/reciter/vocabulary.ts:makeVocabulary': OURS,
  'plugins/backend/reciter/weights.ts:makeWeights': OURS,
  'plugins/sandbox/deno.ts:denoEnvironment': FILES,
  'plugins/sandbox/typescript/runner-folder.ts:runnerFolder': FILES,
  'plugins/sandbox/wall.ts:findWall': FILES,
  'agents/svc-code/workspace.ts:writeWorkspace': FILES,
  'scripts/svc/bar.ts:printLine': TERMINAL,
  'scripts/svc/bar.ts:showBar': TERMINAL,
  'scripts/svc/addresses.ts:leadsTo': NETWORK,
  'scripts/svc/addresses.ts:reaches': NETWORK,
  'scripts/svc/probe.ts:reachable': NETWORK,
  'scripts/svc/record.ts:removeRecord': FILES,
  'scripts/svc/record.ts:writeRecord': FILES,
  'scripts/svc/verify/folder.ts:projectsIn': FILES
}
