import type { Words } from './words.js'

const n = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

export const FRENCH: Words = {
  signs: ['le', 'la', 'les', 'une', 'et', 'est', 'pour', 'avec', 'dans', 'des', 'fonction', 'vous', 'du'],
  examplesPass: count => `exécuté ici, ${count === 1 ? 'votre exemple est respecté' : `vos ${count} exemples sont respectés`}.`,
  testsPass: count => `vos tests ont été exécutés ici, et ${count === 1 ? 'le seul passe' : `les ${count} passent`}.`,
  outputRight: count => `lancé ici avec votre entrée, il affiche ce que vous attendez${count > 1 ? ` (${count} cas)` : ''}.`,
  agreed: 'vous n\'avez donné aucun exemple, il a donc été écrit plusieurs fois et exécuté ici : les versions concordent entre elles et '
    + 'avec des tests tirés de votre description.',
  suiteAgainstYours: count => `les tests ont été exécutés ici sur votre code : ${n(count, 'test passe', 'tests passent')}.`,
  projectTested: count => `chaque module se charge ici, et ${n(count, 'test du projet passe', 'tests du projet passent')}.`,
  missing: modules => `${modules} n'est pas disponible ici ; il n'a donc pas été exécuté, mais vérifié autant que possible.`,
  doesNotLoad: error => `il ne se charge pas ici : ${error}`,
  notRun: reason => `il n'a pas été exécuté : ${reason}`,
  someFail: (passing, all) => `${passing} de vos ${n(all, 'exemple', 'exemples')} sont respectés. Ce qui échoue est indiqué ci-dessous.`,
  testsFail: (passing, all) => `${passing} de vos ${n(all, 'test', 'tests')} passent. Ce qui échoue est indiqué ci-dessous.`,
  notVouched: doubt => `les tests passent, mais le code fait quelque chose à côté de quoi on ne peut pas se fier aux tests : ${doubt}`,
  outputWrong: 'lancé avec votre entrée, il n\'affiche pas ce que vous attendez.',
  doubted: 'vos exemples sont respectés, mais des tests tirés de votre description le contredisent ailleurs : relisez-le avant de vous '
    + 'y fier.',
  unsure: 'il fonctionne ici, mais vous n\'avez donné aucun exemple, et les versions écrites pour comparer ne concordent pas : '
    + 'relisez-le avant de vous y fier.',
  loaded: 'il se charge ici et a été vérifié ; vous n\'avez donné aucun exemple de ses résultats.',
  server: left => `il a été chargé ici${left === '' ? '' : ` sans ${left}`} ; aucune requête ne lui a été envoyée.`,
  window: 'il ouvre une fenêtre ou tourne jusqu\'à ce qu\'on l\'arrête ; il a donc été vérifié, pas exécuté.',
  component: 'il lui faut une page pour s\'afficher ; il a donc été vérifié, pas exécuté.',
  ran: 'il s\'est exécuté ici jusqu\'au bout ; vous n\'avez pas donné de sortie attendue.',
  ranWithError: error => `il a été lancé ici et s'est terminé par une erreur : ${error}`,
  needsInput: 'il lit une entrée ou des arguments qui n\'ont pas été donnés : ses fonctions ont été chargées, il n\'a pas été lancé.',
  reachesOut: 'il se charge ici ; ce qu\'il fait dépend d\'un réseau, de fichiers, de l\'heure ou du hasard, ses résultats n\'ont donc '
    + 'pas été vérifiés.',
  foreign: language => `${language} n'est pas exécuté ici.`,
  otherLanguage: (wanted, got) => `vous vouliez ${wanted}, et ceci est ${got} ; il n'a pas été exécuté.`,
  notChecked: path => `rien ici ne peut vérifier ou exécuter \`${path}\`.`,
  checkedOnly: 'il a été vérifié, pas exécuté.',
  examples: (passing, all) => `- Vos exemples : ${passing} sur ${all} sont respectés.`,
  failing: contrast => `  - ${contrast}`,
  ownTests: (passing, all) => `- Les tests de la réponse : ${passing} sur ${all} passent${passing < all
    ? ' ; un test peut lui-même être faux'
    : ''}.`,
  ownTestsNotRun: reason => `- Les tests de la réponse n'ont pas été exécutés : ${reason}.`,
  suite: (path, count) => `- \`${path}\` a été exécuté : ${n(count, 'test passe', 'tests passent')}.`,
  spliced: path => `- La modification a été placée dans \`${path}\`, et le tout a été chargé.`,
  topFault: error => `- Une ligne hors de ses fonctions échoue au chargement : ${error}`,
  clean: '- Le linter et le vérificateur de types ne signalent aucune erreur.',
  errors: count => `- Le linter et le vérificateur de types signalent ${n(count, 'erreur', 'erreurs')} :`,
  printed: '- Il a affiché :',
  wrote: paths => `- Il a écrit ${paths}.`,
  effortSpent: "- L'effort permis pour une réponse est épuisé, rien de plus n'a donc été essayé.",
  timeSpent: "- Le temps permis pour une réponse est écoulé, rien de plus n'a donc été essayé.",
  modelFailed: message => `- Le travail s'est arrêté plus tôt, car le modèle de langage a échoué : ${message}`,
  alsoMissing: modules => `- Non disponible ici : ${modules}.`,
  saved: (folder, paths) => `- Écrit dans le dossier de travail, sous \`${folder}/\` : ${paths}.`,
  notSaved: (paths, reason) => `- Non écrit dans le dossier de travail : ${paths} : ${reason}.`,
  nothingSaved: reason => `- Non écrit dans le dossier de travail : ${reason}.`,
  projectUnsure: passing => `tout n'a pas pu être vérifié${passing > 0
    ? ` ; ${n(passing, 'test passe', 'tests passent')}`
    : ''}. Ce que l'on sait de chaque fichier est indiqué ci-dessous.`,
  notRunFiles: paths => `- Non exécuté ici, donc non compris : ${paths}.`,
  fileNotRun: (path, why) => `- \`${path}\` n'a pas été exécuté : ${why} n'est pas disponible ici.`,
  notThere: thing => `- Vous vouliez \`${thing}\` ; cela n'y est pas.`,
  left: turns => `(La conversation ne tient plus dans le contexte du modèle : ${turns === 1
    ? 'le message le plus ancien est omis'
    : `les ${turns} messages les plus anciens sont omis`}.)`,
  outlined: paths => `(${paths} est trop long pour le contexte du modèle : il a reçu le plan et les fonctions concernées.)`
}
