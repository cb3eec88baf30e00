// The letters in which vocabularies of GPT-2's kind, as most are, write the bytes of a text: a byte that can be seen is
// itself, any other one of the letters from U+0100.

export const LETTERS: readonly string[] = (() => {
  const isSeen = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
  let unseen = 0
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isSeen(byte) ? byte : 256 + unseen++))
})()

const BYTES = new Map(LETTERS.map((letter, byte) => [letter, byte]))

/** A text as a vocabulary writes it. */
export function spelled (text: string): string {
  return Array.from(Buffer.from(text, 'utf8'), byte => LETTERS[byte]).join('')
}

/** The bytes that are meant; undefined where it is not written in these letters. */
export function bytesOf (letters: string): Buffer | undefined {
  const bytes = Array.from(letters, letter => BYTES.get(letter))
  return bytes.every(byte => byte !== undefined) ? Buffer.from(bytes) : undefined
}
