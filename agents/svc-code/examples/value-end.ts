// What follows a value in a sentence, and what says that the value was only a part of something.

/** After a value its line ends, or a sentence goes on; an operator or a letter glued to it says that it was only a part. */
export function endsWell (rest: string): boolean {
  if (/^[`"'*_]{0,3}\s?(?:\.\.\.|…)/.test(rest)) return false
  return /^[`"'*_]{0,3}(?:\s|$|[.,;!?)\]|。，；、)](?:[\s`"'*_)]|$|[\u3000-\u9fff\uff00-\uffef])|[。，；、]|[\u3000-\u9fff])/.test(rest)
    && !/^[`"'*_]{0,3}\s?[-+*/%<>=&|^]\s?[\w(]/.test(rest)
    && !/^\s(?:ms|s|sec|seconds|minutes|times|%|bytes|KB|MB|arguments|parameters|elements|items)\b/.test(rest)
}
