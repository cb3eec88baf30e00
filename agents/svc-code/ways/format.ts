// The mode `format`: formats the user's code without calling the model, which might change more than the layout.
import type { AgentEvent, Files } from '../../types.js'
import { Delivery } from '../delivery/delivery.js'
import { fileText } from '../delivery/reply-text.js'
import type { RunScope } from '../run-scope.js'
import { line } from '../draft/mismatch.js'
import { Outlet } from '../reply/outlet.js'
import { isPlain } from '../paths.js'

export async function * formatted (scope: RunScope): AsyncGenerator<AgentEvent, void> {
  const { conversation, sandbox, signal, profiles } = scope
  const turn = conversation.messages.length - 1
  const given = conversation.codes.filter(code => code.turn === turn)
  const delivery = new Delivery(scope, new Outlet({ profiles, mayBeProgram: () => false }))
  const parts: string[] = []
  const all: Record<string, string> = {}
  const lines = ['unverified: it was formatted and checked, not run.']
  for (const profile of profiles) {
    const files = Object.fromEntries(given.filter(code => code.profile === profile).map((code, index) => {
      const own = profile.fileFor(profile.mainOf(code.statements), code.source)
      const path = code.path !== undefined && isPlain(code.path) ? code.path : index === 0 ? own : own.replace('.', `${index + 1}.`)
      return [path, `${code.source.trimEnd()}\n`]
    }))
    const runnable: Files = Object.fromEntries(Object.entries(files).filter(([path]) => profile.runs(path)))
    if (Object.keys(runnable).length === 0) continue
    const done = await sandbox.format({ language: profile.id, files: runnable, fix: false }, { signal })
    const { diagnostics, missing, unchecked } = await sandbox.check({ language: profile.id, files: done }, { signal })
    Object.assign(all, done)
    parts.push(...Object.entries(done).map(([path, source]) => fileText(path, profile.tagOf(path), source)))
    lines.push(
      ...diagnostics.filter(({ severity }) => severity === 'error').slice(0, 20).map(found => line(found)),
      ...unchecked.map(({ source, reason }) => `- Not checked (${source}): ${reason}.`),
      ...(missing.length > 0 ? [`- Not available here: ${missing.join(', ')}.`] : [])
    )
  }
  yield { type: 'progress', text: 'Formatted and checked.\n' }
  yield * delivery.whole(parts.join('\n\n'), lines, all)
}
