// GPT-2's vocabulary, and most others like it, write each byte of a text as a letter: a printable byte as itself, any other
// byte as one of the letters from U+0100 on.

export const LETTERS: readonly string[] = (() => {
  const isSeen = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
  let unseen = 0
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isSeen(byte) ? byte : 256 + unseen++))
})()

const BYTES = new Map(LETTERS.map((letter, byte) => [letter, byte]))

/** A text in these letters. */
export function spelled (text: string): string {
  return Array.from(Buffer.from(text, 'utf8'), byte => LETTERS[byte]).join('')
}

/** The bytes that letters stand for; undefined if the text contains other letters. */
export function bytesOf (letters: string): Buffer | undefined {
  const bytes = Array.from(letters, letter => BYTES.get(letter))
  return bytes.every(byte => byte !== undefined) ? Buffer.from(bytes) : undefined
}
