// Decides by the text after a value in a sentence whether the value is complete.

/** Whether the value before this text is complete: it is not if an operator, a letter, a unit or `...` follows it. */
export function endsWell (rest: string): boolean {
  if (/^[`"'*_]{0,3}\s?(?:\.\.\.|…)/.test(rest)) return false
  return /^[`"'*_]{0,3}(?:\s|$|[.,;!?)\]|。，；、)](?:[\s`"'*_)]|$|[\u3000-\u9fff\uff00-\uffef])|[。，；、]|[\u3000-\u9fff])/.test(rest)
    && !/^[`"'*_]{0,3}\s?[-+*/%<>=&|^]\s?[\w(]/.test(rest)
    && !/^\s(?:ms|s|sec|seconds|minutes|times|%|bytes|KB|MB|arguments|parameters|elements|items)\b/.test(rest)
}
