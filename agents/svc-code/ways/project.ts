// A new project: planned, written file by file, tested module by module, with all that its framework needs around it.
import type { AgentEvent, Files } from '../../types.js'
import { Delivery } from '../delivery/delivery.js'
import { fileText } from '../delivery/reply.js'
import { wordsFor } from '../delivery/words/choose.js'
import type { Desk } from '../desk.js'
import { projectCalls } from '../effort.js'
import type { Profile } from '../languages/profile.js'
import { account } from '../project/account.js'
import { build } from '../project/build.js'
import type { Built } from '../project/part.js'
import { readPlan } from '../project/plan.js'
import { ProjectPrompts } from '../project/prompts.js'
import { suitesOf, tryTests } from '../project/tests.js'
import { whatCame } from '../reply/came.js'
import type { Draft } from '../reply/draft.js'
import { Outlet } from '../reply/outlet.js'
import { type ProjectKind, layoutOf, projectKind, scaffoldOf } from '../scaffolds/index.js'

const PLAN_TOKENS = 4096

/** What is left to be done by the way of an ordinary answer: all of it, or what a draft still needs. */
export type Rest = 'nothing' | 'answer' | { draft: Draft, delivery: Delivery }

export async function * project (desk: Desk): AsyncGenerator<AgentEvent, Rest> {
  const { talk, profiles, calls, request, signal, sandbox, backend, maxTokens, settings } = desk
  const [usual] = profiles
  const { context } = await backend.info()
  const profile = desk.language?.profile ?? usual
  if (profile === undefined || projectCalls(request.reasoning_effort, 1, settings.budget.calls) === 1) return 'answer'
  sandbox.warm(profile.id)
  const kind = projectKind(talk.asked, profile)
  const name = nameIn(talk.asked)
  const prompts = new ProjectPrompts(talk, { backend, context, maxTokens })
  yield progress('Planning the files ...')
  const messages = await prompts.plan(layoutOf(kind, { name, summary: '', files: {} }), profile)
  const said = yield * calls.ask(
    { step: 'plan', messages, temperature: Math.min(request.temperature, 0.5), maxTokens: PLAN_TOKENS },
    signal
  )
  const came = whatCame(said, { profiles, mentions: talk.mentions, isKnown: talk.isKnown })
  const delivery = new Delivery(desk, new Outlet({ profiles, mayBeProgram: () => false }))
  // A model that knows the project writes it at once.
  if (came.type === 'programs') {
    delivery.restart(said.text)
    return { draft: came.draft, delivery }
  }
  const plan = readPlan(said.text, profiles)
  if (plan.files.length === 0) return 'answer'
  calls.allow(projectCalls(request.reasoning_effort, plan.files.length, settings.budget.calls))
  yield progress(`Files: ${plan.files.map(({ path }) => path).join(', ')}`)
  const built = yield * build(plan.files, desk, prompts)
  yield * whole(desk, delivery, { ...built, left: plan.left }, profile, { kind, name })
  return 'nothing'
}

async function * whole (
  desk: Desk,
  delivery: Delivery,
  built: Built,
  profile: Profile,
  { kind, name }: { kind: ProjectKind, name: string }
): AsyncGenerator<AgentEvent, void> {
  const { talk } = desk
  const written: Files = Object.fromEntries(built.parts.flatMap(part => 'source' in part ? [[part.planned.path, part.source]] : []))
  const suites = suitesOf(built.parts, written)
  const summary = talk.asked.split(/[.:\n]/, 1)[0]?.trim().slice(0, 200) ?? ''
  const scaffold = scaffoldOf(kind, { name, summary, files: { ...written, ...suites } })
  const files: Files = { ...written, ...suites, ...scaffold.files }
  const tried = await tryTests(desk, profile, files)
  const text = Object.entries(files).map(([path, source]) => fileText(path, tagOf(path, desk), source)).join('\n\n')
  const title = `${scaffold.title}: \`${scaffold.testCommand}\``
  const { lines } = account(built, tried, talk.asked, files, wordsFor(talk.asked))
  yield * delivery.whole(`${title}\n\n${text}`, lines, files)
}

const TAGS: Readonly<Record<string, string>> = {
  json: 'json', toml: 'toml', md: 'markdown', yml: 'yaml', yaml: 'yaml', html: 'html', css: 'css', sh: 'sh', txt: 'text', ini: 'ini',
  cfg: 'ini', sql: 'sql'
}

function tagOf (path: string, { profiles }: Desk): string {
  const profile = profiles.find(({ endings }) => endings.some(ending => path.endsWith(ending)))
  return profile?.tagOf(path) ?? TAGS[path.slice(path.lastIndexOf('.') + 1)] ?? ''
}

const NAMED = /(?:^|[\s(])[`"']([a-z][\w-]{1,40})[`"']/
const CALLED = /\b(?:called|named|namens|llamad[ao]|appelée?)\s+[`"']?([a-z][\w-]{1,40})/i

/** As the user calls it: what stands in quotes, or after "called". */
function nameIn (task: string): string {
  const text = task.slice(0, 2000)
  return NAMED.exec(text)?.[1] ?? CALLED.exec(text)?.[1] ?? 'project'
}

function progress (text: string): AgentEvent {
  return { type: 'progress', text: `${text}\n` }
}
