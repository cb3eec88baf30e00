import js from '@eslint/js'
import stylistic from '@stylistic/eslint-plugin'
import regexp from 'eslint-plugin-regexp'
import { globalIgnores } from 'eslint/config'
import ts from 'typescript-eslint'

const TYPED = ['**/*.ts']

const GLOBALS = [
  'process', 'console', 'Buffer', 'URL', 'fetch', 'performance', 'setTimeout', 'clearTimeout', 'setImmediate',
  'AbortController', 'AbortSignal', 'TextDecoder'
]

const lineLength = exceptions => ['error', { code: 140, ignoreUrls: true, ignoreRegExpLiterals: true, ...exceptions }]

export default ts.config(
  globalIgnores(['dist', '.dist-*', '.tap', 'coverage', 'compat', 'test/fixtures', 'agents/*/**', '!agents/svc-code/**']),
  js.configs.recommended,
  stylistic.configs.customize({
    indent: 2, quotes: 'single', semi: false, braceStyle: '1tbs', commaDangle: 'never', arrowParens: false
  }),
  {
    languageOptions: { globals: Object.fromEntries(GLOBALS.map(name => [name, 'readonly'])) },
    rules: {
      '@stylistic/space-before-function-paren': ['error', 'always'],
      '@stylistic/generator-star-spacing': ['error', 'both'],
      '@stylistic/yield-star-spacing': ['error', 'both'],
      '@stylistic/quote-props': ['error', 'as-needed'],
      '@stylistic/member-delimiter-style': ['error', {
        multiline: { delimiter: 'none' }, singleline: { delimiter: 'comma', requireLast: false }
      }],
      '@stylistic/arrow-parens': 'off',
      '@stylistic/quotes': ['error', 'single', { avoidEscape: true, allowTemplateLiterals: 'avoidEscape' }],
      '@stylistic/max-len': lineLength({}),
      '@stylistic/max-statements-per-line': 'off',
      '@stylistic/multiline-ternary': 'off',
      '@stylistic/operator-linebreak': ['error', 'before', { overrides: { '=': 'after' } }],
      'no-empty': 'error',
      eqeqeq: ['error', 'always'],
      'max-lines': ['error', { max: 300 }]
    }
  },
  {
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false, ignoreSticky: false }]
    }
  },
  { files: TYPED, extends: [ts.configs.recommendedTypeChecked], languageOptions: { parserOptions: { projectService: true } } },
  {
    files: TYPED,
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/require-await': 'off', // Fastify's plugins and handlers are async by contract
      '@typescript-eslint/only-throw-error': 'off', // signal.reason may be anything
      '@typescript-eslint/prefer-promise-reject-errors': 'off'
    }
  },
  // The code that runs inside the sandbox takes methods off their objects, so that no later patch of a prototype reaches them,
  // and it prints whatever value a program hands it.
  {
    files: ['plugins/sandbox/typescript/runner/**/*.ts'],
    rules: { '@typescript-eslint/unbound-method': 'off', '@typescript-eslint/no-base-to-string': 'off' }
  },
  // The strings of tests and benchmarks are data: programs, replies, requests.
  {
    files: ['test/**', 'scripts/bench/**'],
    rules: { '@stylistic/max-len': lineLength({ ignoreStrings: true, ignoreTemplateLiterals: true }) }
  },
  // Tests read JSON replies without declaring a type for each, and pass arguments that the types forbid.
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off'
    }
  }
)
