// The sentences that svc-code itself adds to a reply.
import type { EarlyEnd } from '../../model/calls.js'

export interface Words {
  /** Frequent words of this language, by which a text in it is recognised. */
  signs: readonly string[]
  // The reason for the claim: the sentence after `verified:`, `tested:` or `unverified:`.
  examplesPass (count: number): string
  testsPass (count: number): string
  outputRight (count: number): string
  agreed: string
  suiteAgainstYours (count: number): string
  projectTested (count: number): string
  missing (modules: string): string
  doesNotLoad (error: string): string
  notRun (reason: string): string
  someFail (passing: number, all: number): string
  testsFail (passing: number, all: number): string
  notVouched (doubt: string): string
  outputWrong: string
  doubted: string
  unsure: string
  loaded: string
  server (left: string): string
  window: string
  component: string
  ran: string
  ranWithError (error: string): string
  needsInput: string
  reachesOut: string
  foreign (language: string): string
  otherLanguage (wanted: string, got: string): string
  notChecked (path: string): string
  checkedOnly: string
  // The lines below it.
  examples (passing: number, all: number): string
  failing (contrast: string): string
  ownTests (passing: number, all: number): string
  ownTestsNotRun (reason: string): string
  suite (path: string, count: number): string
  spliced (path: string): string
  topFault (error: string): string
  clean: string
  errors (count: number): string
  printed: string
  wrote (paths: string): string
  effortSpent: string
  timeSpent: string
  modelFailed (message: string): string
  alsoMissing (modules: string): string
  saved (folder: string, paths: string): string
  notSaved (paths: string, reason: string): string
  nothingSaved (reason: string): string
  projectUnsure (passing: number): string
  notRunFiles (paths: string): string
  fileNotRun (path: string, why: string): string
  notThere (thing: string): string
  // Around the reply.
  left (turns: number): string
  outlined (paths: string): string
}

/** The line that says why the work ended early. */
export function endedBy (cut: EarlyEnd, words: Words): string {
  if (cut.why === 'failure') return words.modelFailed(cut.message)
  return cut.why === 'time' ? words.timeSpent : words.effortSpent
}

const s = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

export const ENGLISH: Words = {
  signs: ['the', 'and', 'is', 'it', 'this', 'with', 'you', 'your', 'for', 'of'],
  examplesPass: count => `it was run here, and your ${count === 1 ? 'example passes' : `${count} examples pass`}.`,
  testsPass: count => `your tests were run here, and ${count === 1 ? 'the one test passes' : `all ${count} pass`}.`,
  outputRight: count => `it was started here with your input, and it prints what you expect${count > 1 ? ` (${count} cases)` : ''}.`,
  agreed: 'you gave no example to check it against, so it was written more than once and run here: the versions agree with each other '
    + 'and with tests made from your description.',
  suiteAgainstYours: count => `the tests were run here against your code: ${s(count, 'test')} pass.`,
  projectTested: count => `every module loads here, and ${s(count, 'test')} of the project pass.`,
  missing: modules => `${modules} is not available here, so it was not run; it was checked as far as that is possible without it.`,
  doesNotLoad: error => `it does not load here: ${error}`,
  notRun: reason => `it was not run: ${reason}`,
  someFail: (passing, all) => `${passing} of your ${s(all, 'example')} pass. What fails is named below.`,
  testsFail: (passing, all) => `${passing} of your ${s(all, 'test')} pass. What fails is named below.`,
  notVouched: doubt => `the tests pass, but the code does something that makes a pass unreliable: ${doubt}`,
  outputWrong: 'started with your input, it does not print what you expect.',
  doubted: 'your examples pass, but tests made from your description disagree with it elsewhere: look at it before you rely on it.',
  unsure: 'it runs here, but you gave no example to check it against, and versions written for comparison do not agree: look at it '
    + 'before you rely on it.',
  loaded: 'it loads here and was checked; you gave no example to check its results against.',
  server: left => `it was loaded here${left === '' ? '' : ` with ${left} left out`}; no request was sent to it.`,
  window: 'it opens a window or runs until somebody ends it, so it was checked, not run.',
  component: 'it needs a page to be shown in, so it was checked, not run.',
  ran: 'it ran to its end here; you gave no expected output to check it against.',
  ranWithError: error => `it was started here and ended with an error: ${error}`,
  needsInput: 'it reads input or arguments that were not given, so its functions were loaded and it was not started.',
  reachesOut: 'it loads here; what it does depends on a network, files, the time or chance, so its results were not checked.',
  foreign: language => `${language} is not run here.`,
  otherLanguage: (wanted, got) => `you asked for ${wanted}, and this is ${got}; it was not run.`,
  notChecked: path => `nothing here can check or run \`${path}\`.`,
  checkedOnly: 'it was checked, not run.',
  examples: (passing, all) => `- Your examples: ${passing} of ${all} pass.`,
  failing: contrast => `  - ${contrast}`,
  ownTests: (passing, all) => `- The tests in the answer: ${passing} of ${all} pass${passing < all ? '; a test may be wrong itself' : ''}.`,
  ownTestsNotRun: reason => `- The tests in the answer were not run: ${reason}.`,
  suite: (path, count) => `- \`${path}\` was run: ${s(count, 'test')} ${count === 1 ? 'passes' : 'pass'}.`,
  spliced: path => `- The change was put into \`${path}\`, and the whole was loaded.`,
  topFault: error => `- A line outside of its functions fails when it is loaded: ${error}`,
  clean: '- Linter and type checker report no errors.',
  errors: count => `- Linter and type checker report ${s(count, 'error')}:`,
  printed: '- It printed:',
  wrote: paths => `- It wrote ${paths}.`,
  effortSpent: '- The effort allowed for one answer is used up, so nothing more was tried.',
  timeSpent: '- The time allowed for one answer is used up, so nothing more was tried.',
  modelFailed: message => `- The work ended early, since the language model failed: ${message}`,
  alsoMissing: modules => `- Not available here: ${modules}.`,
  saved: (folder, paths) => `- Written to the workspace, in \`${folder}/\`: ${paths}.`,
  notSaved: (paths, reason) => `- Not written to the workspace: ${paths}, since ${reason}.`,
  nothingSaved: reason => `- Not written to the workspace: ${reason}.`,
  projectUnsure: passing => `not all of it was shown to work${passing > 0
    ? `; ${s(passing, 'test')} pass`
    : ''}. What is known of each file is below.`,
  notRunFiles: paths => `- Not run here, and so no part of this: ${paths}.`,
  fileNotRun: (path, why) => `- \`${path}\` was not run: ${why} is not available here.`,
  notThere: thing => `- You asked for \`${thing}\`; it is not in it.`,
  left: turns => `(The conversation no longer fits into the model's context: its oldest ${turns === 1
    ? 'message is'
    : `${turns} messages are`} left out.)`,
  outlined: paths => `(${paths} is too long for the model's context: it was given an outline and the functions concerned.)`
}
