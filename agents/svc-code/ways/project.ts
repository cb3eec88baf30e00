// The mode `project`: plans a new project, writes it file by file, tests it module by module, and adds what its framework needs.
import type { AgentEvent, Files } from '../../types.js'
import { Delivery } from '../delivery/delivery.js'
import { fileText } from '../delivery/reply-text.js'
import { wordsFor } from '../delivery/words/choose.js'
import type { RunScope } from '../run-scope.js'
import { projectCalls } from '../effort.js'
import type { Profile } from '../languages/profile.js'
import { projectVerification } from '../project/verification.js'
import { build } from '../project/build.js'
import type { Built } from '../project/part.js'
import { readPlan } from '../project/plan.js'
import { ProjectPrompts } from '../project/prompts.js'
import { suitesOf, runTests } from '../project/tests.js'
import { parseReply } from '../reply/parse-reply.js'
import type { Draft } from '../reply/draft.js'
import { Outlet } from '../reply/outlet.js'
import { type ProjectKind, layoutOf, projectKind, scaffoldOf } from '../scaffolds/index.js'

const PLAN_TOKENS = 4096

/** What the caller must still do: answer in mode `answer`, improve a draft, or nothing. */
export type Rest = 'nothing' | 'answer' | { draft: Draft, delivery: Delivery }

export async function * project (scope: RunScope): AsyncGenerator<AgentEvent, Rest> {
  const { conversation, profiles, calls, request, signal, sandbox, backend, maxTokens, settings } = scope
  const [usual] = profiles
  const { context } = await backend.info()
  const profile = scope.language?.profile ?? usual
  if (profile === undefined || projectCalls(request.reasoning_effort, 1, settings.budget.calls) === 1) return 'answer'
  sandbox.warm(profile.id)
  const kind = projectKind(conversation.asked, profile)
  const name = nameIn(conversation.asked)
  const prompts = new ProjectPrompts(conversation, { backend, context, maxTokens })
  yield progress('Planning the files ...')
  const messages = await prompts.plan(layoutOf(kind, { name, summary: '', files: {} }), profile)
  const said = yield * calls.ask(
    { step: 'plan', messages, temperature: Math.min(request.temperature, 0.5), maxTokens: PLAN_TOKENS },
    signal
  )
  const came = parseReply(said, { profiles, mentions: conversation.mentions, isKnown: conversation.isKnown })
  const delivery = new Delivery(scope, new Outlet({ profiles, mayBeProgram: () => false }))
  // Some models write the files at once instead of a plan.
  if (came.type === 'programs') {
    delivery.restart(said.text)
    return { draft: came.draft, delivery }
  }
  const plan = readPlan(said.text, profiles)
  if (plan.files.length === 0) return 'answer'
  calls.allow(projectCalls(request.reasoning_effort, plan.files.length, settings.budget.calls))
  yield progress(`Files: ${plan.files.map(({ path }) => path).join(', ')}`)
  const built = yield * build(plan.files, scope, prompts)
  yield * whole(scope, delivery, { ...built, left: plan.left }, profile, { kind, name })
  return 'nothing'
}

async function * whole (
  scope: RunScope,
  delivery: Delivery,
  built: Built,
  profile: Profile,
  { kind, name }: { kind: ProjectKind, name: string }
): AsyncGenerator<AgentEvent, void> {
  const { conversation } = scope
  const written: Files = Object.fromEntries(built.parts.flatMap(part => 'source' in part ? [[part.planned.path, part.source]] : []))
  const suites = suitesOf(built.parts, written)
  const summary = conversation.asked.split(/[.:\n]/, 1)[0]?.trim().slice(0, 200) ?? ''
  const scaffold = scaffoldOf(kind, { name, summary, files: { ...written, ...suites } })
  const files: Files = { ...written, ...suites, ...scaffold.files }
  const tried = await runTests(scope, profile, files)
  const text = Object.entries(files).map(([path, source]) => fileText(path, tagOf(path, scope), source)).join('\n\n')
  const title = `${scaffold.title}: \`${scaffold.testCommand}\``
  const { lines } = projectVerification(built, tried, conversation.asked, files, wordsFor(conversation.asked))
  yield * delivery.whole(`${title}\n\n${text}`, lines, files)
}

const TAGS: Readonly<Record<string, string>> = {
  json: 'json', toml: 'toml', md: 'markdown', yml: 'yaml', yaml: 'yaml', html: 'html', css: 'css', sh: 'sh', txt: 'text', ini: 'ini',
  cfg: 'ini', sql: 'sql'
}

function tagOf (path: string, { profiles }: RunScope): string {
  const profile = profiles.find(({ endings }) => endings.some(ending => path.endsWith(ending)))
  return profile?.tagOf(path) ?? TAGS[path.slice(path.lastIndexOf('.') + 1)] ?? ''
}

const NAMED = /(?:^|[\s(])[`"']([a-z][\w-]{1,40})[`"']/
const CALLED = /\b(?:called|named|namens|llamad[ao]|appelée?)\s+[`"']?([a-z][\w-]{1,40})/i

/** The name of the project: the word in quotes, or after "called". */
function nameIn (task: string): string {
  const text = task.slice(0, 2000)
  return NAMED.exec(text)?.[1] ?? CALLED.exec(text)?.[1] ?? 'project'
}

function progress (text: string): AgentEvent {
  return { type: 'progress', text: `${text}\n` }
}
