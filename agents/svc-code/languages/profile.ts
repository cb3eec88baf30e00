// A profile is one object with everything that is special about a language. No code outside this folder compares names of languages.
import type { Files, Language } from '../../types.js'

/** A statement at the top level of a program. The texts of all statements, joined by line ends, are the program. */
export interface Statement {
  text: string
  kind: 'definition' | 'import' | 'binding' | 'comment' | 'run'
  names: string[]
}

/** What a program does when it is started. */
export type Nature =
  | 'definitions' // it only defines functions and classes; demonstrations and a main guard with fixed values do not count
  | 'script' // it does some work and ends
  | 'server' // it listens on a port
  | 'window' // it opens a window, or loops until it is closed
  | 'component' // a page or a framework shows it: JSX, .vue, a DOM
  | 'tests'

export type Wanted = { type: 'value', source: string } | { type: 'raises', name: string | undefined } | { type: 'true' }

/** A call and its expected result, both as source of the language. */
export interface Assertion {
  expression: string
  wanted: Wanted
  tolerance?: number | undefined
  /** Statements to run first. */
  setup?: string
}

/** A group of cases in a generated test file. */
export interface TestGroup { title: string, cases: readonly Assertion[] }

export interface MendWanted {
  /** The function or class that the task names. */
  entry?: string | undefined
  /** Definitions of the user's, which a reply may use without repeating them. */
  prelude?: string | undefined
}

export interface Profile {
  id: Language
  /** The name for people: `Python`. */
  name: string
  /** The tags of fences that mean this language, in lower case, the usual one first. */
  tags: readonly string[]
  /** The endings of its files, the usual one first. `.vue` files count as TypeScript: they are kept, but not run. */
  endings: readonly string[]
  /** The tag of a fence that holds this file. */
  tagOf (path: string): string
  /** The ending of a file whose fence has this tag: `.tsx` for `tsx`, `.js` for `javascript`. */
  endingFor (tag: string): string
  /** Whether the sandbox can check and run such a file. */
  runs (path: string): boolean

  // Reading source text.
  looksLike (source: string): boolean
  /** Whether a line without indentation begins code, in text without fences. */
  begins (line: string): boolean
  /** Whether a line can be in the middle of code, in text without fences. */
  goesOn (line: string): boolean
  statements (source: string): Statement[]
  /** Whether the entry has no body; without an entry, whether no function has one. */
  isStub (source: string, entry: string | undefined): boolean
  /** Whether the source ends in the middle of a statement. */
  isUnfinished (source: string): boolean
  /** The main name of a program: its last public function or class. */
  mainOf (statements: readonly Statement[]): string | undefined
  /** The names of the parameters of a function; undefined if the source does not define such a function. */
  parametersOf (source: string, name: string): string[] | undefined
  /** The names that it uses, outside of string literals and comments. */
  calledBy (source: string): string[]
  /** The modules that it imports, as written: `numpy.linalg`, `./prices.js`. */
  importsOf (source: string): string[]
  natureOf (source: string, path: string): Nature
  /** Whether it uses a network, files, the clock or random numbers, so that its results cannot be predicted. */
  reachesOut (source: string): boolean
  /** Whether it is a plain function without imports, which could as well be written in another language. */
  isPlain (source: string, tag: string): boolean
  /** Whether a text names a library or a concept of this language. */
  isHintedIn (text: string): boolean
  /** The file from which a program imports these names, if it is no library: `split_bill.py`. */
  localModule (source: string, names: readonly string[]): string | undefined
  readsInput (source: string): boolean
  readsArguments (source: string): boolean

  // Changing source text. None of these removes a line from the program that is delivered.
  /** Adds imports of these names, which the checker does not know, if the standard library has them. */
  withImports (source: string, names: readonly string[]): string
  /** A copy that can be loaded: without main guards, `listen`, endless loops, and reading input at the top level. */
  loadable (source: string): string
  /** A copy with definitions, imports and bindings only, for a program whose other lines fail. */
  bare (source: string): string
  /**
   * Adds what is missing, if no model is needed for it: imports of standard modules, an export, an alias with the name that the
   * task asks for, the user's own definitions. Lines are only added.
   */
  mend (source: string, wanted: MendWanted): string
  /** Replaces definitions of `earlier` by those of `change`; new ones come at the end. */
  splice (earlier: string, change: string): string
  /** The lines that `loadable` left out, for the reader: "`app.listen`". */
  leftOut (source: string): string[]

  // Examples and tests.
  /** A word such as `True` or `null` as this language writes it; undefined if it has none. */
  word (word: string): string | undefined
  number (source: string): string
  text (source: string): string
  /** A key without quotes, as in `{ name: 1 }`, as this language writes it. */
  keyOf (word: string): string
  hasTuples: boolean
  /** The asserts in a text, in any style of test. */
  assertionsIn (text: string): Assertion[]
  /** The examples in interpreter sessions (doctests) that call one of the names. */
  sessionsIn (text: string, names: readonly string[]): Assertion[]
  /** An expression for "this is true", and one for "these are equal". */
  truth (expression: string): string
  equal (left: string, right: string): string
  /** A file and an expression that do nothing, for jobs that need a file and an expression. */
  nothing: { files: Files, expression: string }
  isTestFile (path: string | undefined, source: string): boolean
  /** The path of the test file for a file: `test_prices.py`, `prices.test.ts`. */
  testPath (path: string): string
  /** A whole test file, with its imports; null if there is nothing to test. */
  suite (path: string, names: readonly string[], groups: readonly TestGroup[]): { path: string, source: string } | null
  /** Adds an import of the names that the test file uses from `path`, if it is missing. */
  importing (test: string, path: string, names: readonly string[]): string

  // Names and words.
  /** A comment with this text. */
  comment (text: string): string
  /** A file name: `word_count.py`, `wordCount.ts`, or `main.py` without a name. It never hides a module that the source imports. */
  fileFor (name: string | undefined, source: string): string
  /** The path of a test file in a project's folder for tests, and the test file with its import changed to match. */
  testFolder (path: string): string
  fromFolder (test: string, path: string): string
  /** Whether a file is a module that others import, so that it can be tested by itself: an index or an entry point is not. */
  exportsOf (path: string): boolean
  /** Changes imports of the project's own files to the form that the runtime needs. */
  linked (source: string, path: string, files: readonly string[]): string
  /** Whether packages below `src` are found only if they are installed. */
  hidesSrc: boolean
  /** The name by which another file imports this one: `shop.prices`, `./prices.ts`. */
  moduleOf (path: string): string
  /** Errors that are mere slips, which one repair usually mends: `NameError`. */
  slips: ReadonlySet<string>
  /** Whether a code of the checker means an unknown name. */
  isNowhere (code: string): boolean
  words: {
    /** A sentence for prompts that ask for a program. */
    style: string
    /** How to write asserts, for prompts: "one plain assert a line, such as ..." */
    asserts (entry: string): string
    /** How to write a test file for this path, for prompts. */
    suite (path: string): string
    /** An example of the lines of a plan. */
    planned: string
  }
}
