import type { Report } from '../messages.js'

type Text = Extract<Report, { type: 'fragment' | 'reasoning' }>

// A small model writes a token in less time than an IPC message takes. Tokens that come more slowly than this are sent one by one.
const GATHER_MS = 8

/** Sends reports in order, and joins texts that follow each other quickly. */
export class Outbox {
  readonly #send: (report: Report) => void
  readonly #texts: Text[] = []
  #sent = 0
  #timer: NodeJS.Timeout | undefined

  constructor (send: (report: Report) => void) {
    this.#send = send
  }

  put (report: Report): void {
    if (report.type !== 'fragment' && report.type !== 'reasoning') {
      this.#flush()
      return this.#send(report)
    }
    const before = this.#texts.findLast(({ id }) => id === report.id)
    if (before?.type === report.type) before.text += report.text
    else this.#texts.push({ ...report })
    if (performance.now() - this.#sent >= GATHER_MS) this.#flush()
    else this.#timer ??= setTimeout(this.#flush, GATHER_MS)
  }

  readonly #flush = () => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#texts.length === 0) return
    for (const text of this.#texts.splice(0)) this.#send(text)
    this.#sent = performance.now()
  }
}
