// Builds a project from its plan: writes it file by file, tests it module by module, and repairs files that fail.
import type { AgentEvent, Files } from '../../types.js'
import { line } from '../draft/mismatch.js'
import { readTests } from '../examples/expectations.js'
import { keyOf } from '../draft/comparable.js'
import { type Trial, load, run } from '../draft/trial.js'
import type { Profile } from '../languages/profile.js'
import { type EarlyEnd, type ModelReply, earlyEndOf } from '../model/calls.js'
import type { RunScope } from '../run-scope.js'
import { type ParsedReply, parseReply } from '../reply/parse-reply.js'
import { partsOf } from '../reply/fences.js'
import type { ProjectPrompts } from './prompts.js'
import { type Built, type Part, type Written, passed } from './part.js'
import type { Planned } from './plan.js'

const FILE_TOKENS = 4096
const TRIES = 2

export async function * build (plan: readonly Planned[], scope: RunScope, prompts: ProjectPrompts): AsyncGenerator<AgentEvent, Built> {
  const project = new Project(plan, scope, prompts)
  let cut: EarlyEnd | null = null
  try {
    yield * project.run()
  } catch (error) {
    if (scope.signal.aborted || !project.parts.some(part => 'source' in part)) throw error
    cut = earlyEndOf(error)
    scope.run.log.warn({ err: error }, 'the project ends early')
  }
  await project.settle()
  return { parts: [...project.parts, ...project.unwritten()], left: [], cut }
}

class Project {
  readonly parts: Part[] = []
  #isChecked = false

  constructor (private readonly plan: readonly Planned[], private readonly scope: RunScope, private readonly prompts: ProjectPrompts) {}

  async * run (): AsyncGenerator<AgentEvent, void> {
    for (const [index, planned] of this.plan.entries()) {
      yield progress(`Writing ${planned.path} (${index + 1} of ${this.plan.length}) ...`)
      this.parts.push(yield * this.#write(planned))
    }
    await this.#check()
    for (const part of this.#written()) {
      if (part.profile === undefined) continue
      yield * this.#test(part, part.profile)
      if (isWrong(part)) yield * this.#repair(part, part.profile)
    }
  }

  /** Runs the final files, if the work ended early, or if a file was repaired after others had been run. */
  async settle (): Promise<void> {
    try {
      if (!this.#isChecked || this.#written().some(({ repaired }) => repaired)) await this.#check()
      for (const part of this.#written()) {
        if (part.profile !== undefined && (part.trial === null || isWrong(part))) part.trial = await this.#try(part, part.profile)
      }
    } catch (error) {
      if (this.scope.signal.aborted) throw error
      this.scope.run.log.warn({ err: error }, 'what was written cannot be run')
    }
  }

  unwritten (): Part[] {
    return this.plan
      .filter(({ path }) => !this.parts.some(({ planned }) => planned.path === path))
      .map(planned => ({ planned, lost: 'it was not written any more' }))
  }

  #written (): Written[] {
    return this.parts.filter((part): part is Written => 'source' in part)
  }

  async * #write (planned: Planned): AsyncGenerator<AgentEvent, Part> {
    const { calls, signal, request, profiles } = this.scope
    const profile = profiles.find(each => each.runs(planned.path))
    if (isMarker(planned)) return fresh(planned, profile, '')
    let lost = 'its reply held no program'
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const messages = await this.prompts.file(planned, this.#outline(), profile)
      const temperature = request.temperature + 0.2 * attempt
      const said = yield * calls.ask({ step: 'write', messages, temperature, maxTokens: FILE_TOKENS * (attempt + 1) }, signal)
      const source = this.#sourceIn(said, planned, profile)
      if (source !== undefined) return fresh(planned, profile, await this.#tidy(source, planned.path, profile))
      if (said.finish === 'length') lost = 'it was too long for one reply'
    }
    return { planned, lost }
  }

  /** The requested file in a reply, which may contain others as well. */
  #sourceIn (said: ModelReply, { path }: Planned, profile: Profile | undefined): string | undefined {
    if (profile === undefined) {
      const fences = partsOf(said.text).filter(part => part.type === 'fence' && part.closed)
      const named = fences.find(part => part.type === 'fence' && part.path !== undefined && path.endsWith(part.path)) ?? fences[0]
      return named?.type === 'fence' ? named.source : undefined
    }
    const came: ParsedReply = parseReply(said, { profiles: this.scope.profiles, mentions: () => true, isKnown: () => false })
    if (came.type !== 'programs') {
      const [only] = partsOf(said.text).filter(part => part.type === 'fence')
      return only?.type === 'fence' && profile.tags.includes(only.tag) ? only.source : undefined
    }
    const own = came.draft.files.filter(file => file.profile === profile)
    const file = own.find(each => each.path === path || (each.path !== undefined && path.endsWith(`/${each.path}`)))
      ?? own.find(each => each.path === undefined)
      ?? own[0]
    return file === undefined || file.elided || profile.isStub(file.source, undefined) ? undefined : file.source
  }

  async #tidy (source: string, path: string, profile: Profile | undefined): Promise<string> {
    const text = `${source.trimEnd()}\n`
    if (profile === undefined) return text
    const { sandbox, signal } = this.scope
    const formatted = (await sandbox.format({ language: profile.id, files: { [path]: text }, fix: false }, { signal }))[path] ?? text
    return profile.linked(formatted, path, this.plan.map(planned => planned.path))
  }

  /** Checks all files together, because they depend on each other. */
  async #check (): Promise<void> {
    const { sandbox, signal, profiles } = this.scope
    for (const profile of profiles) {
      const files = this.#files(profile)
      if (Object.keys(files).length === 0) continue
      const { diagnostics, missing } = await sandbox.check({ language: profile.id, files }, { signal })
      for (const part of this.#written().filter(each => each.profile === profile)) {
        part.errors = diagnostics.filter(({ file, severity }) => file === part.planned.path && severity === 'error')
        part.missing = missing
      }
    }
    this.#isChecked = true
  }

  // The tests are written from the plan, without seeing the code.
  async * #test (part: Written, profile: Profile): AsyncGenerator<AgentEvent, void> {
    const { planned } = part
    const { calls, signal, request } = this.scope
    const exports = profile.exportsOf(planned.path) && /[(:]/.test(planned.exports)
    if (exports) {
      yield progress(`Testing ${planned.path} ...`)
      const said = yield * calls.ask(
        { step: 'tests', messages: this.prompts.tests(planned, profile), temperature: request.temperature, maxTokens: FILE_TOKENS },
        signal
      )
      part.tests = await readTests(said.text, { profile, entry: undefined }, this.scope)
    }
    part.trial = await this.#try(part, profile)
    if (exports) yield progress(tell(part))
  }

  /** Runs the tests of a part; if it has none, it is only loaded. */
  #try (part: Written, profile: Profile): Promise<Trial> {
    const { sandbox, signal } = this.scope
    const program = { language: profile.id, files: Object.fromEntries(Object
      .entries({ ...this.#files(profile), [part.planned.path]: part.source })
      .map(([path, source]) => [path, profile.loadable(source)])) }
    const file = part.planned.path
    return part.tests.length === 0
      ? load(sandbox, program, { file, expression: profile.nothing.expression }, signal)
      : run(sandbox, program, part.tests.map(({ call }) => ({ ...call, file })), signal)
  }

  /** Asks for one repair, which is used only if more tests pass with it. */
  async * #repair (part: Written, profile: Profile): AsyncGenerator<AgentEvent, void> {
    const { calls, sandbox, signal, request } = this.scope
    const { path } = part.planned
    yield progress(`Mending ${path} ...`)
    const messages = await this.prompts.repair(part.planned, part.source, this.#outline(), wrongWith(part), profile)
    const said = yield * calls.ask({ step: 'repair', messages, temperature: request.temperature, maxTokens: FILE_TOKENS * 2 }, signal)
    const found = this.#sourceIn(said, part.planned, profile)
    if (found === undefined) return
    const source = await this.#tidy(found, path, profile)
    const { diagnostics } = await sandbox.check({ language: profile.id, files: { ...this.#files(profile), [path]: source } }, { signal })
    const errors = diagnostics.filter(({ file, severity }) => file === path && severity === 'error')
    const mended: Written = { ...part, source, repaired: true, errors }
    mended.trial = await this.#try(mended, profile)
    if (merit(mended) > merit(part)) Object.assign(part, mended)
    yield progress(tell(part))
  }

  #files (profile: Profile): Files {
    return Object.fromEntries(this.#written().filter(part => part.profile === profile).map(({ planned, source }) => [planned.path, source]))
  }

  #outline (): string[] {
    return this.plan.map(({ path, purpose, exports }) => `- ${[path, purpose, exports].filter(each => each !== '').join(' - ')}`)
  }
}

/** Whether a planned file only marks its folder as a package. */
function isMarker ({ path, purpose, exports }: Planned): boolean {
  return path.endsWith('__init__.py') && exports === '' && (purpose === '' || /\b(?:package|marker|empty)\b/i.test(purpose))
}

function fresh (planned: Planned, profile: Profile | undefined, source: string): Written {
  return { planned, profile, source, tests: [], trial: null, errors: [], missing: [], repaired: false }
}

function isWrong (part: Written): boolean {
  if (part.trial?.fault) return part.trial.fault.kind === 'load'
  return passed(part).length < part.tests.length || part.errors.length > 0
}

function merit (part: Written): number {
  return (part.trial?.fault ? -100 : passed(part).length) - part.errors.length / 100
}

function wrongWith (part: Written): string {
  const { trial, tests, errors } = part
  if (trial?.fault) return `It cannot be run:\n${trial.fault.message}`
  const good = passed(part)
  const failing = tests.filter(test => !good.includes(test)).map(({ call, shown }) => {
    const outcome = trial?.results.get(keyOf(call))?.outcome
    return `- \`${call.expression}\` should ${shown}${outcome?.type === 'raised'
      ? `, but raises ${outcome.name}: ${outcome.message.split('\n', 1)[0] ?? ''}`
      : ', and does not'}`
  })
  return [
    ...(failing.length > 0 ? [`These tests failed:\n${failing.join('\n')}`] : []),
    ...(errors.length > 0 ? [`The checker reports:\n${errors.slice(0, 6).map(line).join('\n')}`] : [])
  ].join('\n\n')
}

function tell (part: Written): string {
  if (part.trial?.fault) return `${part.planned.path}: not run (${part.trial.fault.message.split('\n', 1)[0] ?? ''})`
  return `${part.planned.path}: ${passed(part).length} of ${part.tests.length} tests pass.`
}

function progress (text: string): AgentEvent {
  return { type: 'progress', text: `${text}\n` }
}
