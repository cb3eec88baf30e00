// Parts of a message that hold no text. They cost the caller its chat if they were refused: every later request of it brings them again.

const KINDS: readonly [word: string, name: string][] = [['image', 'an image'], ['audio', 'a recording'], ['file', 'a file']]

/** What stands in the place of such a part, on a line of its own; undefined where its type is not known. */
export function standIn (type: string): string | undefined {
  const kind = KINDS.find(([word]) => [word, `input_${word}`, `${word}_url`].includes(type))
  return kind && `\n[${kind[1]} that cannot be read here]\n`
}
