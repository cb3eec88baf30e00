/** What is recited: a text, one of several by chance, or one without end. */
export type Recital = string | { oneOf: readonly string[] } | { forever: string }

export interface Lesson {
  /** Texts of which the prompt holds one. Of all lessons' texts the last one in the prompt counts. */
  on: readonly string[]
  /** Its texts count before those of other lessons, wherever they stand. */
  isStrong?: boolean
  say: Recital
  /** What is said instead where the prompt also holds a text of this aspect. */
  when?: Readonly<Record<string, Recital>>
}
