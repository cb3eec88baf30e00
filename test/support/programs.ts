import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Files } from '../../agents/types.js'

/** Jobs of a file in `fixtures/programs`: each as `==== NAME`, with its files as `---- PATH` and their text. */
export async function programs (name: string): Promise<[name: string, files: Files][]> {
  const text = await readFile(join(import.meta.dirname, '..', 'fixtures', 'programs', name), 'utf8')
  return text.split(/^==== /m).slice(1).map(job => {
    const [title = '', ...files] = job.split(/^---- /m)
    return [title.trim(), Object.fromEntries(files.map(file => [file.slice(0, file.indexOf('\n')), file.slice(file.indexOf('\n') + 1)]))]
  })
}
