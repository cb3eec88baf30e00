/** A queue with one reader. After a failure, the reader first gets the items that came before it. */
export class Inbox<T> {
  readonly #items: T[] = []
  #failure: { error: unknown } | undefined
  #reader: { resolve: (item: T) => void, reject: (error: unknown) => void } | undefined

  push (item: T): void {
    if (!this.#reader) return void this.#items.push(item)
    this.#reader.resolve(item)
    this.#reader = undefined
  }

  fail (error: unknown): void {
    this.#failure ??= { error }
    this.#reader?.reject(error)
    this.#reader = undefined
  }

  next (): Promise<T> {
    const item = this.#items.shift()
    if (item !== undefined) return Promise.resolve(item)
    if (this.#failure) return Promise.reject(this.#failure.error)
    return new Promise((resolve, reject) => { this.#reader = { resolve, reject } })
  }
}
