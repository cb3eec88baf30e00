// Recognises programs with parts left out: `# ... rest of the code stays the same`.

const COMMENTS = ['#', '//', '/*', '<!--', '{/*']
/** The beginnings of such comments, after the comment mark and dots. */
const SAYS = [
  'rest of', 'the rest', 'existing ', 'previous ', 'remaining ', 'same as before', 'same as above', 'other methods', 'other functions',
  'other code', 'original ', 'unchanged', 'code remains', 'code stays',
  'everything else', 'omitted', 'your code here', 'your logic here', 'implementation here', 'actual implementation', 'unverändert',
  'rest bleibt', 'resto del', 'reste du', 'el resto', 'le reste', 'der rest'
]
const THINGS = [
  'code', 'implementation', 'method', 'function', 'logic', 'same', 'unchanged', 'here', 'file', 'stays', 'remains', 'class', 'bleibt',
  'igual', 'inchangé', 'before', 'above', 'brevity', 'unverändert', 'fichier', 'archivo', 'datei', 'routes', 'imports'
]

export function isElided (source: string): boolean {
  return source.split('\n').some(line => isGap(line.trim()))
}

function isGap (line: string): boolean {
  const mark = COMMENTS.find(each => line.startsWith(each))
  if (mark === undefined || line.length > 200) return false
  const text = line.slice(mark.length).replace('*/}', '').replace('*/', '').replace('-->', '').trim().toLowerCase()
  const said = withoutDots(text.replace(/^(?:\.{3}|…)\s*/, ''))
  if (said === '') return text !== ''
  return SAYS.some(start => said.startsWith(start)) && (THINGS.some(thing => said.includes(thing)) || said !== text)
}

function withoutDots (text: string): string {
  const dots = ['...', '…'].find(each => text.endsWith(each))
  return dots === undefined ? text : text.slice(0, -dots.length).trimEnd()
}
