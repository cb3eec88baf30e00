/** The rows of a table: an array, or a template with headings. Each row is what the test is called with. */
export function rowsOf (table: unknown, values: unknown[]): unknown[][] {
  if (!Array.isArray(table)) throw new TypeError('each() wants an array or a table')
  if (!('raw' in table)) return table.map((row: unknown): unknown[] => Array.isArray(row) ? row : [row])
  const headings = String(table[0]).split('|').map(heading => heading.trim()).filter(heading => heading !== '')
  const rows: unknown[][] = []
  for (let at = 0; at < values.length; at += headings.length) {
    rows.push([Object.fromEntries(headings.map((heading, column) => [heading, values[at + column]]))])
  }
  return rows
}

/** `adds %i and %i`, `gives $name.first`, `row %#`. */
export function titleOf (title: unknown, row: unknown[], index: number): string {
  let at = 0
  const filled = nameOf(title).replace(/%([sdifjoOpc#$%])/g, (mark, kind: string) => {
    if (kind === '%') return '%'
    if (kind === '#') return String(index)
    if (kind === '$') return String(index + 1)
    return at < row.length ? shown(row[at++], kind) : mark
  })
  const [first] = row
  if (typeof first !== 'object' || first === null) return filled
  return filled.replace(/\$([\w$]+(?:\.[\w$]+)*)/g, (mark, path: string) => {
    const found = path.split('.').reduce<unknown>((value, key) => typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined, first)
    return found === undefined && !(path.split('.')[0] ?? '' in first) ? mark : shown(found, 's')
  })
}

export function nameOf (title: unknown): string {
  return typeof title === 'function' ? title.name : String(title)
}

function shown (value: unknown, kind: string): string {
  if (typeof value === 'string' && kind !== 'j') return value
  if (typeof value === 'number' && kind === 'i') return String(Math.trunc(value))
  if (typeof value !== 'object' || value === null) return String(value)
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return Object.prototype.toString.call(value) // a cycle
  }
}
