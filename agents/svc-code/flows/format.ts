import type { AgentEvent, Files } from '../../types.js'
import type { Desk } from '../desk.js'
import { answer } from '../answer.js'
import { pathFor } from '../entry.js'
import { saved } from '../finish.js'
import { line } from '../findings.js'

/** The user's code, formatted and looked through. No model is asked: it would only change what nobody wants changed. */
export async function * formatted ({ intent, languages: [language], sandbox, signal, settings, run }: Desk): AsyncGenerator<AgentEvent, string> {
  const given: Files = Object.fromEntries(intent.given.map((block, index) => [block.path ?? numbered(pathFor('', [], undefined, language), index), block.source.trimEnd() + '\n']))
  const files = await sandbox.format({ language, files: given }, { signal })
  const { diagnostics, missing, unchecked } = await sandbox.check({ language, files }, { signal })
  const changed = Object.keys(files).filter(path => files[path] !== given[path])
  const syntax = diagnostics.filter(({ source }) => source === 'syntax')
  yield { type: 'progress', text: 'Formatted and checked.\n' }
  return answer({
    approach: syntax.length > 0 ? 'The code does not parse, so it could not be formatted; the errors are below.' : changed.length > 0 ? 'Formatted, with safe fixes of the linter applied.' : 'It was formatted already.',
    files,
    verification: [
      'unverified: the code was formatted and checked, not run.',
      ...(diagnostics.length === 0 ? ['- Linter and type checker have nothing to report.'] : ['- Linter and type checker report:', ...diagnostics.slice(0, 20).map(found => `  ${line(found)}`)]),
      ...unchecked.map(({ source, reason }) => `- Not checked (${source}): ${reason}.`),
      ...(missing.length > 0 ? [`- Not available here, so not checked: ${missing.join(', ')}.`] : []),
      ...await saved(settings.workspace, run.id, files)
    ]
  })
}

function numbered (path: string, index: number): string {
  return index === 0 ? path : path.replace(/(\.\w+)$/, `${index + 1}$1`)
}
