import type { Words } from './words.js'

const n = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

export const GERMAN: Words = {
  signs: ['der', 'die', 'das', 'und', 'ist', 'eine', 'ein', 'mit', 'für', 'nicht', 'hier', 'den', 'wird'],
  examplesPass: count => `es wurde hier ausgeführt, und ${count === 1 ? 'dein Beispiel stimmt' : `deine ${count} Beispiele stimmen`}.`,
  testsPass: count => `deine Tests wurden hier ausgeführt, und ${count === 1 ? 'der eine besteht' : `alle ${count} bestehen`}.`,
  outputRight: count => `es wurde hier mit deiner Eingabe gestartet und gibt aus, was du erwartest${count > 1 ? ` (${count} Fälle)` : ''}.`,
  agreed: 'du hast kein Beispiel genannt, deshalb wurde es mehrmals geschrieben und hier ausgeführt: die Fassungen stimmen '
    + 'untereinander und mit Tests aus deiner Beschreibung überein.',
  suiteAgainstYours: count => `die Tests wurden hier gegen deinen Code ausgeführt: ${n(count, 'Test besteht', 'Tests bestehen')}.`,
  projectTested: count => `jedes Modul lädt hier, und ${n(count, 'Test des Projekts besteht', 'Tests des Projekts bestehen')}.`,
  missing: modules => `${modules} ist hier nicht vorhanden, deshalb wurde es nicht ausgeführt, nur so weit wie möglich geprüft.`,
  doesNotLoad: error => `es lädt hier nicht: ${error}`,
  notRun: reason => `es wurde nicht ausgeführt: ${reason}`,
  someFail: (passing, all) => `${passing} von ${n(all, 'Beispiel', 'Beispielen')} stimmen. Was nicht stimmt, steht unten.`,
  testsFail: (passing, all) => `${passing} von ${n(all, 'Test', 'Tests')} bestehen. Was fehlschlägt, steht unten.`,
  notVouched: doubt => `die Tests bestehen, aber der Code tut etwas, neben dem auf Tests kein Verlass ist: ${doubt}`,
  outputWrong: 'mit deiner Eingabe gestartet, gibt es nicht aus, was du erwartest.',
  doubted: 'deine Beispiele stimmen, aber Tests aus deiner Beschreibung widersprechen an anderer Stelle: sieh es dir an, bevor du dich '
    + 'darauf verlässt.',
  unsure: 'es läuft hier, aber du hast kein Beispiel genannt, und Fassungen zum Vergleich stimmen nicht überein: sieh es dir an, bevor '
    + 'du dich darauf verlässt.',
  loaded: 'es lädt hier und wurde geprüft; ein Beispiel für seine Ergebnisse hast du nicht genannt.',
  server: left => `es wurde hier geladen${left === '' ? '' : `, ohne ${left}`}; eine Anfrage wurde nicht gestellt.`,
  window: 'es öffnet ein Fenster oder läuft, bis es jemand beendet; deshalb wurde es geprüft, nicht ausgeführt.',
  component: 'es braucht eine Seite, die es anzeigt; deshalb wurde es geprüft, nicht ausgeführt.',
  ran: 'es lief hier bis zum Ende; eine erwartete Ausgabe hast du nicht genannt.',
  ranWithError: error => `es wurde hier gestartet und endete mit einem Fehler: ${error}`,
  needsInput: 'es liest Eingaben oder Argumente, die nicht angegeben sind; seine Funktionen wurden geladen, gestartet wurde es nicht.',
  reachesOut: 'es lädt hier; was es tut, hängt von Netz, Dateien, Zeit oder Zufall ab, deshalb wurden seine Ergebnisse nicht geprüft.',
  foreign: language => `${language} wird hier nicht ausgeführt.`,
  otherLanguage: (wanted, got) => `du wolltest ${wanted}, und dies ist ${got}; es wurde nicht ausgeführt.`,
  notChecked: path => `\`${path}\` kann hier nichts prüfen oder ausführen.`,
  checkedOnly: 'es wurde geprüft, nicht ausgeführt.',
  examples: (passing, all) => `- Deine Beispiele: ${passing} von ${all} stimmen.`,
  failing: contrast => `  - ${contrast}`,
  ownTests: (passing, all) => `- Die Tests in der Antwort: ${passing} von ${all} bestehen${passing < all
    ? '; auch ein Test kann falsch sein'
    : ''}.`,
  ownTestsNotRun: reason => `- Die Tests in der Antwort wurden nicht ausgeführt: ${reason}.`,
  suite: (path, count) => `- \`${path}\` wurde ausgeführt: ${n(count, 'Test besteht', 'Tests bestehen')}.`,
  spliced: path => `- Die Änderung wurde in \`${path}\` eingesetzt und das Ganze geladen.`,
  topFault: error => `- Eine Zeile außerhalb der Funktionen schlägt beim Laden fehl: ${error}`,
  clean: '- Linter und Typprüfung melden keine Fehler.',
  errors: count => `- Linter und Typprüfung melden ${count} Fehler:`,
  printed: '- Ausgabe:',
  wrote: paths => `- Geschrieben wurde ${paths}.`,
  effortSpent: '- Der Aufwand, der für eine Antwort erlaubt ist, ist aufgebraucht; mehr wurde nicht versucht.',
  timeSpent: '- Die Zeit, die für eine Antwort erlaubt ist, ist um; mehr wurde nicht versucht.',
  modelFailed: message => `- Die Arbeit endete vorzeitig, weil das Sprachmodell ausfiel: ${message}`,
  alsoMissing: modules => `- Hier nicht vorhanden: ${modules}.`,
  saved: (folder, paths) => `- In den Arbeitsordner geschrieben, unter \`${folder}/\`: ${paths}.`,
  notSaved: (paths, reason) => `- Nicht in den Arbeitsordner geschrieben: ${paths}: ${reason}.`,
  nothingSaved: reason => `- Nicht in den Arbeitsordner geschrieben: ${reason}.`,
  projectUnsure: passing => `nicht alles davon hat sich als richtig gezeigt${passing > 0
    ? `; ${n(passing, 'Test besteht', 'Tests bestehen')}`
    : ''}. Was von jeder Datei bekannt ist, steht unten.`,
  notRunFiles: paths => `- Hier nicht ausgeführt und deshalb nicht gemeint: ${paths}.`,
  fileNotRun: (path, why) => `- \`${path}\` wurde nicht ausgeführt: ${why} ist hier nicht vorhanden.`,
  notThere: thing => `- Du wolltest \`${thing}\`; das ist nicht dabei.`,
  left: turns => `(Das Gespräch passt nicht mehr in den Kontext des Modells: ${turns === 1
    ? 'die älteste Nachricht ist'
    : `die ältesten ${turns} Nachrichten sind`} weggelassen.)`,
  outlined: paths => `(${paths} ist zu lang für den Kontext des Modells: es bekam den Umriss und die betroffenen Funktionen.)`
}
