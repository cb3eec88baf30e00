import { posix } from 'node:path'

const SPECIFIER = /(\bfrom |\bimport\(|^import )(['"])(\.{1,2}\/[^'"\n]{0,300})\2/gm

/** Changes imports of the project's own files to the form that Node needs: `./prices.js` for `./prices` and `./prices.ts`. */
export function linked (source: string, path: string, files: readonly string[]): string {
  return source.replace(SPECIFIER, (whole: string, lead: string, quote: string, specifier: string) => {
    const plain = posix.join(posix.dirname(path), specifier).replace(/\.[jt]sx?$/, '')
    const target = [plain, `${plain}/index`].find(name => files.some(file => file === `${name}.ts` || file === `${name}.tsx`))
    if (target === undefined) return whole
    const relative = posix.relative(posix.dirname(path), target)
    return `${lead}${quote}${relative.startsWith('.') ? '' : './'}${relative}.js${quote}`
  })
}
