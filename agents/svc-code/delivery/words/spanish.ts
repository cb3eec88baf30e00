import type { Words } from './words.js'

const n = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

export const SPANISH: Words = {
  signs: ['el', 'la', 'los', 'una', 'para', 'con', 'que', 'es', 'función', 'aquí', 'del', 'y'],
  examplesPass: count => `se ejecutó aquí, y ${count === 1 ? 'tu ejemplo se cumple' : `tus ${count} ejemplos se cumplen`}.`,
  testsPass: count => `tus pruebas se ejecutaron aquí, y ${count === 1 ? 'la única pasa' : `las ${count} pasan`}.`,
  outputRight: count => `se inició aquí con tu entrada e imprime lo que esperas${count > 1 ? ` (${count} casos)` : ''}.`,
  agreed: 'no diste ningún ejemplo, así que se escribió varias veces y se ejecutó aquí: las versiones coinciden entre sí y con pruebas '
    + 'hechas a partir de tu descripción.',
  suiteAgainstYours: count => `las pruebas se ejecutaron aquí contra tu código: ${n(count, 'prueba pasa', 'pruebas pasan')}.`,
  projectTested: count => `cada módulo se carga aquí, y ${n(count, 'prueba del proyecto pasa', 'pruebas del proyecto pasan')}.`,
  missing: modules => `${modules} no está disponible aquí, así que no se ejecutó; se revisó hasta donde es posible sin ello.`,
  doesNotLoad: error => `no se carga aquí: ${error}`,
  notRun: reason => `no se ejecutó: ${reason}`,
  someFail: (passing, all) => `${passing} de tus ${n(all, 'ejemplo', 'ejemplos')} se cumplen. Lo que falla está abajo.`,
  testsFail: (passing, all) => `${passing} de tus ${n(all, 'prueba', 'pruebas')} pasan. Lo que falla está abajo.`,
  notVouched: doubt => `las pruebas pasan, pero el código hace algo junto a lo cual no se puede confiar en pruebas: ${doubt}`,
  outputWrong: 'iniciado con tu entrada, no imprime lo que esperas.',
  doubted: 'tus ejemplos se cumplen, pero pruebas hechas a partir de tu descripción no coinciden en otro punto: revísalo antes de '
    + 'confiar en él.',
  unsure: 'funciona aquí, pero no diste ningún ejemplo, y las versiones escritas para comparar no coinciden: revísalo antes de confiar '
    + 'en él.',
  loaded: 'se carga aquí y se revisó; no diste ningún ejemplo de sus resultados.',
  server: left => `se cargó aquí${left === '' ? '' : ` sin ${left}`}; no se le envió ninguna petición.`,
  window: 'abre una ventana o funciona hasta que alguien lo cierra, así que se revisó sin ejecutarlo.',
  component: 'necesita una página que lo muestre, así que se revisó sin ejecutarlo.',
  ran: 'se ejecutó aquí hasta el final; no diste una salida esperada.',
  ranWithError: error => `se inició aquí y terminó con un error: ${error}`,
  needsInput: 'lee una entrada o argumentos que no se dieron: se cargaron sus funciones y no se inició.',
  reachesOut: 'se carga aquí; lo que hace depende de una red, archivos, la hora o el azar, así que no se revisaron sus resultados.',
  foreign: language => `${language} no se ejecuta aquí.`,
  otherLanguage: (wanted, got) => `pediste ${wanted}, y esto es ${got}; no se ejecutó.`,
  notChecked: path => `nada aquí puede revisar o ejecutar \`${path}\`.`,
  checkedOnly: 'se revisó, no se ejecutó.',
  examples: (passing, all) => `- Tus ejemplos: ${passing} de ${all} se cumplen.`,
  failing: contrast => `  - ${contrast}`,
  ownTests: (passing, all) => `- Las pruebas de la respuesta: ${passing} de ${all} pasan${passing < all
    ? '; una prueba también puede estar mal'
    : ''}.`,
  ownTestsNotRun: reason => `- Las pruebas de la respuesta no se ejecutaron: ${reason}.`,
  suite: (path, count) => `- \`${path}\` se ejecutó: ${n(count, 'prueba pasa', 'pruebas pasan')}.`,
  spliced: path => `- El cambio se puso en \`${path}\`, y se cargó el conjunto.`,
  topFault: error => `- Una línea fuera de sus funciones falla al cargarlo: ${error}`,
  clean: '- El linter y el comprobador de tipos no informan de errores.',
  errors: count => `- El linter y el comprobador de tipos informan de ${n(count, 'error', 'errores')}:`,
  printed: '- Imprimió:',
  wrote: paths => `- Escribió ${paths}.`,
  effortSpent: '- El esfuerzo permitido para una respuesta se ha agotado, así que no se intentó nada más.',
  timeSpent: '- El tiempo permitido para una respuesta se ha agotado, así que no se intentó nada más.',
  modelFailed: message => `- El trabajo terminó antes de tiempo, porque falló el modelo de lenguaje: ${message}`,
  alsoMissing: modules => `- No disponible aquí: ${modules}.`,
  saved: (folder, paths) => `- Escrito en la carpeta de trabajo, en \`${folder}/\`: ${paths}.`,
  notSaved: (paths, reason) => `- No se escribió en la carpeta de trabajo: ${paths}: ${reason}.`,
  nothingSaved: reason => `- No se escribió en la carpeta de trabajo: ${reason}.`,
  projectUnsure: passing => `no todo se ha comprobado${passing > 0
    ? `; ${n(passing, 'prueba pasa', 'pruebas pasan')}`
    : ''}. Lo que se sabe de cada archivo está abajo.`,
  notRunFiles: paths => `- No se ejecutó aquí y por eso no cuenta: ${paths}.`,
  fileNotRun: (path, why) => `- \`${path}\` no se ejecutó: ${why} no está disponible aquí.`,
  notThere: thing => `- Pediste \`${thing}\`; no está incluido.`,
  left: turns => `(La conversación ya no cabe en el contexto del modelo: ${turns === 1
    ? 'se omite el mensaje más antiguo'
    : `se omiten los ${turns} mensajes más antiguos`}.)`,
  outlined: paths => `(${paths} es demasiado largo para el contexto del modelo: recibió el esquema y las funciones afectadas.)`
}
