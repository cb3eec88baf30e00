import t from 'tap'
import { wordsFor } from '../../../agents/svc-code/delivery/words/choose.js'
import { FRENCH } from '../../../agents/svc-code/delivery/words/french.js'
import { GERMAN } from '../../../agents/svc-code/delivery/words/german.js'
import { SPANISH } from '../../../agents/svc-code/delivery/words/spanish.js'
import { ENGLISH, type Words } from '../../../agents/svc-code/delivery/words/words.js'

type Made = { [Name in keyof Words as Words[Name] extends (...args: never[]) => string ? Name : never]: Words[Name] }

/** Every sentence that is made of something, with what it may be made of. */
const MADE: { [Name in keyof Made]: Parameters<Made[Name]>[] } = {
  examplesPass: [[1], [7]],
  testsPass: [[1], [7]],
  outputRight: [[1], [7]],
  suiteAgainstYours: [[1], [7]],
  projectTested: [[1], [7]],
  missing: [['`numpy`']],
  doesNotLoad: [['NameError: x']],
  notRun: [['no time']],
  someFail: [[1, 1], [3, 7]],
  testsFail: [[1, 1], [3, 7]],
  notVouched: [['a.py:3: it reads the frames of its callers']],
  server: [[''], ['app.run()']],
  ranWithError: [['ValueError: y']],
  foreign: [['Rust']],
  otherLanguage: [['Rust', 'Go']],
  notChecked: [['Dockerfile']],
  examples: [[3, 7]],
  failing: [['f(1) should give 2']],
  ownTests: [[7, 7], [3, 7]],
  ownTestsNotRun: [['no time']],
  suite: [['test_a.py', 1], ['test_a.py', 7]],
  spliced: [['shop.py']],
  topFault: [['AssertionError']],
  errors: [[1], [7]],
  wrote: [['`out.txt`']],
  modelFailed: [['out of memory']],
  alsoMissing: [['`pandas`']],
  saved: [['run-1', '`a.py`']],
  notSaved: [['`a.py`', 'no room']],
  nothingSaved: [['no room']],
  projectUnsure: [[0], [1], [7]],
  notRunFiles: [['`Dockerfile`']],
  fileNotRun: [['test_a.py', '`flask`']],
  notThere: [['/login']],
  left: [[1], [7]],
  outlined: [['`big.py`']]
}

/** How a line begins and ends, which tells what it is in the reply: a point of a list, a note in brackets, a sentence. */
const frameOf = (line: string) => `${/^ *(?:- |\()?/.exec(line)?.[0] ?? ''}|${line.endsWith(')') ? ')' : ''}`

function sayings (words: Words): Map<string, string> {
  const say = words as unknown as Record<string, (...args: readonly (string | number)[]) => string>
  const made = Object.entries(MADE).flatMap(([name, calls]) => calls.map(args => [`${name} ${JSON.stringify(args)}`, say[name]?.(...args) ?? ''] as const))
  const plain = Object.entries(words).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return new Map([...made, ...plain])
}

void t.test('every language has all sentences, each with all its parameters', async t => {
  const english = sayings(ENGLISH)
  for (const [language, words] of Object.entries({ GERMAN, FRENCH, SPANISH })) {
    const own = sayings(words)
    t.strictSame([...own.keys()], [...english.keys()], language)
    for (const [name, said] of own) {
      t.equal(frameOf(said), frameOf(english.get(name) ?? ''), `${language} ${name}`)
      if (name !== 'failing ["f(1) should give 2"]') t.not(said, english.get(name), `${language} ${name} is translated`)
    }
  }
  for (const words of [ENGLISH, GERMAN, FRENCH, SPANISH]) {
    for (const [name, said] of sayings(words)) {
      const args = name.includes(' ') ? JSON.parse(name.slice(name.indexOf(' '))) as (string | number)[] : []
      for (const arg of args) if (typeof arg === 'string' || arg > 1) t.ok(said.includes(String(arg)), `${said}: ${arg}`)
    }
  }
})

void t.test('singular and plural are distinguished', async t => {
  for (const words of [ENGLISH, GERMAN, FRENCH, SPANISH]) {
    const withoutNumber = (text: string) => text.replace(/\d+/g, '')
    for (const name of ['examplesPass', 'testsPass', 'suiteAgainstYours', 'projectTested', 'left'] as const) {
      t.not(withoutNumber(words[name](1)), withoutNumber(words[name](7)), words[name](1))
    }
  }
})

void t.test('the sentences are in the language of the task, and in English if that is not clear', async t => {
  const tasks: [string, Words][] = [
    ['Write a function that is given a list of words and returns the longest', ENGLISH],
    ['Schreibe eine Funktion, die das längste Wort findet und für eine leere Liste nicht abstürzt', GERMAN],
    ['Écris une fonction qui renvoie le mot le plus long de la liste, et une chaîne vide pour une liste vide', FRENCH],
    ['Escribe una función que devuelva la palabra más larga de una lista y que no falle con una lista vacía', SPANISH],
    ['fizzbuzz', ENGLISH], ['', ENGLISH], ['def f(x): return x', ENGLISH]
  ]
  for (const [task, words] of tasks) t.equal(wordsFor(task), words, task)
})
