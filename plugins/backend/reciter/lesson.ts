/** What the model recites: a text, a random one of several texts, or a text that repeats forever. */
export type Recital = string | { oneOf: readonly string[] } | { forever: string }

export interface Lesson {
  /** The lesson is recited if the prompt contains one of these texts. If it contains texts of several lessons, the last one decides. */
  on: readonly string[]
  /** The texts of this lesson win over those of other lessons, wherever in the prompt they are. */
  isStrong?: boolean
  say: Recital
  /** What is recited instead if the prompt also contains a text of an aspect, by the aspect's name. */
  when?: Readonly<Record<string, Recital>>
}
