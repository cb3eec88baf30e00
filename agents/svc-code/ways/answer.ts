// Points 3 to 7 of the way of a request: one neutral call; what came decides; what is examined adds to the reply and takes nothing away.
import type { AgentEvent, Message } from '../../types.js'
import { Delivery } from '../delivery/delivery.js'
import type { Desk } from '../desk.js'
import { search } from '../draft/search.js'
import { subjectOf } from '../draft/subject.js'
import type { Said } from '../model/calls.js'
import { type Came, type Hints, mayBeProgram, whatCame } from '../reply/came.js'
import type { Draft } from '../reply/draft.js'
import { partsOf } from '../reply/fences.js'
import { Outlet } from '../reply/outlet.js'

export async function * answer (desk: Desk): AsyncGenerator<AgentEvent, void> {
  const { profiles, prompts, language } = desk
  const hints = hintsOf(desk)
  const outlet = new Outlet({ profiles, mayBeProgram: seen => mayBeProgram(seen, hints) })
  const delivery = new Delivery(desk, outlet)

  const { messages, room, left, outlined } = await prompts.first(language)
  yield * delivery.notes(left, outlined)
  const said = yield * spoken(desk, messages, room, outlet)
  if (said.finish === 'length' && desk.request.max_tokens !== undefined && desk.request.max_tokens <= room) {
    return yield * delivery.asItCame('length')
  }
  if (isStopped(desk, said)) return yield * delivery.asItCame('stop')
  delivery.heard(said.text)
  let came = whatCame(said, hints)
  if (came.type === 'lost') {
    // What is out is out: it is told that it ends early.
    if (outlet.sent !== '') return yield * delivery.asItCame('length')
    const second = yield * again(desk, messages, room)
    came = whatCame(second, hints)
    if (came.type === 'lost') throw new Error(LOST[came.why])
    delivery.restart(second.text)
  }
  if (came.type === 'words') return yield * delivery.words(came.foreign)
  yield * improved(desk, came.draft, delivery)
}

/** The caller's stop ended it in the middle of a fence: the caller wants what comes before, and nothing behind it. */
function isStopped ({ request: { stop } }: Desk, { text, finish }: Said): boolean {
  const last = stop !== undefined && stop.length > 0 && finish === 'stop' ? partsOf(text).at(-1) : undefined
  return last?.type === 'fence' && !last.closed
}

export function hintsOf ({ profiles, talk }: Desk): Hints {
  return { profiles, mentions: talk.mentions, isKnown: talk.isKnown }
}

/** From a first draft to the reply. */
export async function * improved (desk: Desk, first: Draft, delivery: Delivery): AsyncGenerator<AgentEvent, void> {
  const { prompts, calls, request, signal } = desk
  const read = (said: Said): Came => whatCame(said, hintsOf(desk))
  let draft = first
  const wanted = otherLanguage(desk, first)
  if (wanted !== undefined) {
    const messages = await prompts.write({ profile: wanted, entry: undefined })
    const fresh = calls.spent === null
      ? read(yield * calls.ask({ step: 'write', messages, temperature: request.temperature, maxTokens: desk.maxTokens }, signal))
      : undefined
    if (fresh?.type !== 'programs' || !fresh.draft.files.some(({ profile }) => profile === wanted)) {
      return yield * delivery.unexamined(first, wanted)
    }
    draft = fresh.draft
    delivery.replace()
  }
  const { subject, oracle } = await subjectOf(draft, desk)
  const found = yield * search(draft, subject, oracle, { ...desk, temperature: request.temperature, seed: request.seed, read })
  yield * delivery.programs(found, subject, oracle, draft)
}

/** The first call. Text goes out as it comes; what is held is shown as progress, so that a person sees it grow. */
async function * spoken (
  { calls, request, signal }: Desk,
  messages: Message[],
  room: number,
  outlet: Outlet
): AsyncGenerator<AgentEvent, Said> {
  const { temperature, seed, stop } = request
  const events = calls.speak({ step: 'answer', messages, temperature, maxTokens: room, seed, stop }, signal)
  for (;;) {
    const next = await events.next()
    if (next.done) return next.value
    const event = next.value
    if (typeof event === 'string' || event.type !== 'spoken') {
      yield event
      continue
    }
    const { text, held } = outlet.push(event.text)
    if (text !== '') yield text
    if (held !== '') yield { type: 'progress', text: held }
  }
}

const LOST: Record<(Came & { type: 'lost' })['why'], string> = {
  empty: 'the language model answered with nothing, twice. Ask again, or look at the log of the model server.',
  'only thought': 'the language model only thought, twice, and gave no answer. Ask again, with a lower reasoning_effort or a larger '
    + 'max_tokens.',
  cut: 'the answer of the language model broke off before it was whole, twice. Ask for less at once, or give the model a larger limit '
    + 'of output.',
  loop: 'the language model only repeated itself, twice. Ask again, or with a higher temperature.'
}

/** Nothing usable came: it is asked once more, a little warmer. */
async function * again ({ calls, request, signal }: Desk, messages: Message[], room: number): AsyncGenerator<AgentEvent, Said> {
  const seed = request.seed === undefined ? undefined : request.seed + 1
  if (calls.spent !== null) calls.allow(calls.made + 1)
  return yield * calls.ask(
    { step: 'answer', messages, temperature: Math.max(request.temperature, 0.7), maxTokens: room, seed, stop: request.stop },
    signal
  )
}

/** The language that a program should be in and is not: the one that was named, or the usual one for a plain function. */
function otherLanguage ({ language, profiles, talk }: Desk, { files }: Draft): Desk['profiles'][number] | undefined {
  if (language !== undefined) {
    return !language.isNamed || files.some(({ profile }) => profile === language.profile) ? undefined : language.profile
  }
  const [usual] = profiles
  const isPlain = usual !== undefined
    && talk.codes.length === 0
    && files.every(({ profile, path, source, tag }) => profile !== usual && path === undefined && profile.isPlain(source, tag))
  return isPlain && profiles.every(profile => !profile.isHintedIn(talk.users)) ? usual : undefined
}
