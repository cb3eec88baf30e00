import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Files } from '../../agents/types.js'

/** The jobs of a file in `fixtures/programs`. Each begins with `==== NAME`, and each of its files with `---- PATH`. */
export async function programs (name: string): Promise<[name: string, files: Files][]> {
  const text = await readFile(join(import.meta.dirname, '..', 'fixtures', 'programs', name), 'utf8')
  return text.split(/^==== /m).slice(1).map(job => {
    const [title = '', ...files] = job.split(/^---- /m)
    const entries = files.map(file => [file.slice(0, file.indexOf('\n')), file.slice(file.indexOf('\n') + 1)])
    return [title.trim(), Object.fromEntries(entries) as Files]
  })
}
