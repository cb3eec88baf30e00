// The mode `answer`: one call with the real conversation. If the reply contains a program, it is examined and, where that shows a
// fault, repaired or written again; the verification is added to the reply.
import type { AgentEvent, Message } from '../../types.js'
import { Delivery } from '../delivery/delivery.js'
import type { RunScope } from '../run-scope.js'
import { search } from '../draft/search.js'
import { subjectOf } from '../draft/subject.js'
import type { ModelReply } from '../model/calls.js'
import { type ParsedReply, type Hints, mayBeProgram, parseReply } from '../reply/parse-reply.js'
import type { Draft } from '../reply/draft.js'
import { partsOf } from '../reply/fences.js'
import { Outlet } from '../reply/outlet.js'

export async function * answer (scope: RunScope): AsyncGenerator<AgentEvent, void> {
  const { profiles, prompts, language } = scope
  const hints = hintsOf(scope)
  const outlet = new Outlet({ profiles, mayBeProgram: seen => mayBeProgram(seen, hints) })
  const delivery = new Delivery(scope, outlet)

  const { messages, room, left, outlined } = await prompts.first(language)
  yield * delivery.notes(left, outlined)
  const said = yield * spoken(scope, messages, room, outlet)
  if (said.finish === 'length' && scope.request.max_tokens !== undefined && scope.request.max_tokens <= room) {
    return yield * delivery.asItCame('length')
  }
  if (isStopped(scope, said)) return yield * delivery.asItCame('stop')
  delivery.heard(said.text)
  let came = parseReply(said, hints)
  if (came.type === 'lost') {
    // Text that was sent cannot be taken back, so the reply ends here.
    if (outlet.sent !== '') return yield * delivery.asItCame('length')
    const second = yield * again(scope, messages, room)
    came = parseReply(second, hints)
    if (came.type === 'lost') throw new Error(LOST[came.why])
    delivery.restart(second.text)
  }
  if (came.type === 'words') return yield * delivery.words(came.foreign)
  yield * improved(scope, came.draft, delivery)
}

/** Whether the caller's stop text ended the reply inside a fence: then nothing may be added to it. */
function isStopped ({ request: { stop } }: RunScope, { text, finish }: ModelReply): boolean {
  const last = stop !== undefined && stop.length > 0 && finish === 'stop' ? partsOf(text).at(-1) : undefined
  return last?.type === 'fence' && !last.closed
}

export function hintsOf ({ profiles, conversation }: RunScope): Hints {
  return { profiles, mentions: conversation.mentions, isKnown: conversation.isKnown }
}

/** Examines and improves a first draft, and delivers the reply. */
export async function * improved (scope: RunScope, first: Draft, delivery: Delivery): AsyncGenerator<AgentEvent, void> {
  const { prompts, calls, request, signal } = scope
  const read = (said: ModelReply): ParsedReply => parseReply(said, hintsOf(scope))
  let draft = first
  const wanted = otherLanguage(scope, first)
  if (wanted !== undefined) {
    const messages = await prompts.write({ profile: wanted, entry: undefined })
    const fresh = calls.spent === null
      ? read(yield * calls.ask({ step: 'write', messages, temperature: request.temperature, maxTokens: scope.maxTokens }, signal))
      : undefined
    if (fresh?.type !== 'programs' || !fresh.draft.files.some(({ profile }) => profile === wanted)) {
      return yield * delivery.unexamined(first, wanted)
    }
    draft = fresh.draft
    delivery.replace()
  }
  const { subject, oracle } = await subjectOf(draft, scope)
  const found = yield * search(draft, subject, oracle, { ...scope, temperature: request.temperature, seed: request.seed, read })
  yield * delivery.programs(found, subject, oracle, draft)
}

/** The first call. Text is sent as it comes; text that is held back is shown as progress. */
async function * spoken (
  { calls, request, signal }: RunScope,
  messages: Message[],
  room: number,
  outlet: Outlet
): AsyncGenerator<AgentEvent, ModelReply> {
  const { temperature, seed, stop } = request
  const events = calls.speak({ step: 'answer', messages, temperature, maxTokens: room, seed, stop }, signal)
  for (;;) {
    const next = await events.next()
    if (next.done) return next.value
    const event = next.value
    if (typeof event === 'string' || event.type !== 'text') {
      yield event
      continue
    }
    const { text, held } = outlet.push(event.text)
    if (text !== '') yield text
    if (held !== '') yield { type: 'progress', text: held }
  }
}

const LOST: Record<(ParsedReply & { type: 'lost' })['why'], string> = {
  empty: 'the language model answered with nothing, twice. Ask again, or look at the log of the model server.',
  'only thought': 'the language model only thought, twice, and gave no answer. Ask again, with a lower reasoning_effort or a larger '
    + 'max_tokens.',
  cut: 'the answer of the language model broke off before it was whole, twice. Ask for less at once, or give the model a larger limit '
    + 'of output.',
  loop: 'the language model only repeated itself, twice. Ask again, or with a higher temperature.'
}

/** A second call after a reply that could not be used, with a slightly higher temperature. */
async function * again ({ calls, request, signal }: RunScope, messages: Message[], room: number): AsyncGenerator<AgentEvent, ModelReply> {
  const seed = request.seed === undefined ? undefined : request.seed + 1
  if (calls.spent !== null) calls.allow(calls.made + 1)
  return yield * calls.ask(
    { step: 'answer', messages, temperature: Math.max(request.temperature, 0.7), maxTokens: room, seed, stop: request.stop },
    signal
  )
}

/** The language that the program should have, if it has another: the requested one, or the default for a plain function. */
function otherLanguage ({ language, profiles, conversation }: RunScope, { files }: Draft): RunScope['profiles'][number] | undefined {
  if (language !== undefined) {
    return !language.isNamed || files.some(({ profile }) => profile === language.profile) ? undefined : language.profile
  }
  const [usual] = profiles
  const isPlain = usual !== undefined
    && conversation.codes.length === 0
    && files.every(({ profile, path, source, tag }) => profile !== usual && path === undefined && profile.isPlain(source, tag))
  return isPlain && profiles.every(profile => !profile.isHintedIn(conversation.users)) ? usual : undefined
}
