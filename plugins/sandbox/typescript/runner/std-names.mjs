// What programs import @std/assert by: with a version or without, as a whole or one function's module.
const MODULES = ['almost-equals', 'array-includes', 'assert', 'assertion-error', 'equal', 'equals', 'exists', 'fail', 'false', 'greater', 'greater-or-equal', 'instance-of', 'is-error', 'less', 'less-or-equal', 'match', 'never',
  'not-equals', 'not-instance-of', 'not-match', 'not-strict-equals', 'object-match', 'rejects', 'strict-equals', 'string-includes', 'throws', 'unimplemented', 'unreachable']
const COMMON = ['@std/assert', 'jsr:@std/assert', 'jsr:@std/assert@1', 'jsr:@std/assert@^1', 'jsr:@std/assert@^1.0.0']

// An import map has no patterns for names like these: each version is one of its own.
const versions = Array.from({ length: 20 }, (_, patch) => `1.0.${patch}`)
const ranges = ['~1', '1.0', '~1.0', '^1.0', '*', ...versions.flatMap(version => [version, `^${version}`, `~${version}`])].map(range => `jsr:@std/assert@${range}`)

export const STD_ASSERT = [...new Set([...COMMON, ...ranges, ...COMMON.flatMap(name => MODULES.map(module => `${name}/${module}`))])]
