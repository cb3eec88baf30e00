// A language is one object that holds all that is special about it. Nothing outside of this folder compares a language's name.
import type { Files, Language } from '../../types.js'

/** A statement at the top level of a program. The texts of all statements, joined by line ends, are the program. */
export interface Statement {
  text: string
  kind: 'definition' | 'import' | 'binding' | 'comment' | 'run'
  names: string[]
}

/** What a program does when somebody starts it. */
export type Nature =
  | 'definitions' // nothing but define; demonstrations and a main guard that calls them with fixed values count as nothing
  | 'script' // works, and ends
  | 'server' // listens
  | 'window' // opens a window, or loops until it is closed
  | 'component' // is shown by a page or a framework: JSX, .vue, a DOM
  | 'tests'

export type Wanted = { type: 'value', source: string } | { type: 'raises', name: string | undefined } | { type: 'true' }

/** A call and what it should give, both as source of the language. */
export interface Assertion {
  expression: string
  wanted: Wanted
  tolerance?: number | undefined
  /** Statements to run first. */
  setup?: string
}

/** A line of a test file that comes with a program. */
export interface TestGroup { title: string, cases: readonly Assertion[] }

export interface MendWanted {
  /** The function or class that was asked for. */
  entry?: string | undefined
  /** The user's own definitions, which a reply may take for granted. */
  prelude?: string | undefined
}

export interface Profile {
  id: Language
  /** As people write it: `Python`. */
  name: string
  /** Tags of fences that mean this language, in lower case; the first is its own. */
  tags: readonly string[]
  /** Endings of its files; the first is its own. `.vue` counts as TypeScript's: it is named and kept, though not run. */
  endings: readonly string[]
  /** The tag of a fence that holds this file. */
  tagOf (path: string): string
  /** The ending of a file whose fence has this tag: `.tsx` for `tsx`, `.js` for `javascript`. */
  endingFor (tag: string): string
  /** The sandbox can check and run such a file. */
  runs (path: string): boolean

  // How its text is read.
  looksLike (source: string): boolean
  /** A line at the margin that begins code, where there is no fence. */
  begins (line: string): boolean
  /** A line that can stand in the middle of code, where there is no fence. */
  goesOn (line: string): boolean
  statements (source: string): Statement[]
  /** The functions that were asked for have no body; without an entry: none has. */
  isStub (source: string, entry: string | undefined): boolean
  /** It ends in the middle of a statement. */
  isUnfinished (source: string): boolean
  /** What a program is mainly about: its last public function or class. */
  mainOf (statements: readonly Statement[]): string | undefined
  /** Names of the parameters of a function; undefined where it is not defined here as one. */
  parametersOf (source: string, name: string): string[] | undefined
  /** Names that it uses, outside of texts and comments. */
  calledBy (source: string): string[]
  /** The modules that it imports, as written: `numpy.linalg`, `./prices.js`. */
  importsOf (source: string): string[]
  natureOf (source: string, path: string): Nature
  /** It uses a network, files, the clock or chance: nobody can say beforehand what it returns. */
  reachesOut (source: string): boolean
  /** A plain function in this language rather than in its neighbour's (JavaScript) or for a page: nothing in it asks for this language. */
  isPlain (source: string, tag: string): boolean
  /** A text names a library or a thing of this language. */
  isHintedIn (text: string): boolean
  /** The file that a program imports these names from, where it is none of the libraries: `split_bill.py`. */
  localModule (source: string, names: readonly string[]): string | undefined
  readsInput (source: string): boolean
  readsArguments (source: string): boolean

  // What is done to it. None of these takes a line away from what is delivered.
  /** With imports of names that the checker found nowhere and the standard library has. */
  withImports (source: string, names: readonly string[]): string
  /** A copy that can be loaded: without main guards, `listen`, loops without end, reading of input at the top level. */
  loadable (source: string): string
  /** A copy with definitions, imports and bindings only, for a program whose other lines fail. */
  bare (source: string): string
  /**
   * With what it lacks and nobody needs a model for: imports of standard modules, an export, the name that was asked for, the user's own
   * definitions. Lines are only added.
   */
  mend (source: string, wanted: MendWanted): string
  /** The definitions of `earlier` with those of `change` in their place, new ones after them. */
  splice (earlier: string, change: string): string
  /** A plain description of what a call of `loadable` left out ("`app.listen`"), for the reader; empty where nothing was. */
  leftOut (source: string): string[]

  // Examples and tests.
  /** A word of a literal (`True`, `null`) as this language has it; undefined where it has none. */
  word (word: string): string | undefined
  number (source: string): string
  text (source: string): string
  /** A key that stands without quotes: `{ name: 1 }`. */
  keyOf (word: string): string
  hasTuples: boolean
  /** Asserts of any style of test. */
  assertionsIn (text: string): Assertion[]
  /** Sessions of an interpreter (doctests) that call one of the names. */
  sessionsIn (text: string, names: readonly string[]): Assertion[]
  /** An expression for "this holds", and one for "these are equal". */
  truth (expression: string): string
  equal (left: string, right: string): string
  /** A file and an expression that do nothing, for jobs that need some. */
  nothing: { files: Files, expression: string }
  isTestFile (path: string | undefined, source: string): boolean
  /** Where the tests of a file lie: `test_prices.py`, `prices.test.ts`. */
  testPath (path: string): string
  /** A whole test file, with its imports; null where there is nothing to test. */
  suite (path: string, names: readonly string[], groups: readonly TestGroup[]): { path: string, source: string } | null
  /** The test file with an import of what it uses of `path`, where it has none. */
  importing (test: string, path: string, names: readonly string[]): string

  // Names and words.
  /** A comment that says this. */
  comment (text: string): string
  /** `word_count.py`, `wordCount.ts`; without a name `main.py`. Never a name that shadows one of the modules it imports. */
  fileFor (name: string | undefined, source: string): string
  /** Where the tests of a project lie, and the test file with its import as it is from there. */
  testFolder (path: string): string
  fromFolder (test: string, path: string): string
  /** A module that others import from, so that it can be tested by itself; an index or an entry point is none. */
  exportsOf (path: string): boolean
  /** Imports of the project's own files as the language's runtime wants them. */
  linked (source: string, path: string, files: readonly string[]): string
  /** Finds its packages below `src` only where they are installed. */
  hidesSrc: boolean
  /** How another file imports it: `shop.prices`, `./prices.ts`. */
  moduleOf (path: string): string
  /** Errors that are slips of the pen: `NameError`. One repair mends them. */
  slips: ReadonlySet<string>
  /** Codes of a checker for names that exist nowhere. */
  isNowhere (code: string): boolean
  words: {
    /** A sentence for prompts that ask for a program. */
    style: string
    /** "one plain assert a line, such as ..." */
    asserts (entry: string): string
    /** What a test file for this path looks like. */
    suite (path: string): string
    /** Lines of a plan, as an example. */
    planned: string
  }
}
