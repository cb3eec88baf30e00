// What `bun:test` exports here: as vitest, and `expect` has more words (bun-words.ts).
export { default } from './vitest.js'
export * from './vitest.js'
