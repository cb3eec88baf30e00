export interface Item {
  name: string
  price: number
  tags: string[]
}

export class OutOfStock extends Error {
  constructor (readonly item: string, readonly wanted: number) {
    super(`${item}: ${wanted} wanted, and there are not as many`)
  }
}

export class Inventory {
  readonly #items = new Map<string, { item: Item, count: number }>()

  add (item: Item, count = 1): void {
    const held = this.#items.get(item.name)
    if (held) held.count += count
    else this.#items.set(item.name, { item, count })
  }

  take (name: string, count = 1): Item {
    const held = this.#items.get(name)
    if (!held || held.count < count) throw new OutOfStock(name, count)
    held.count -= count
    if (held.count === 0) this.#items.delete(name)
    return held.item
  }

  total (): number {
    return [...this.#items.values()].reduce((sum, { item, count }) => sum + item.price * count, 0)
  }

  tagged (tag: string): string[] {
    return [...this.#items.values()].filter(({ item }) => item.tags.includes(tag)).map(({ item }) => item.name).sort()
  }
}

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] ?? NaN : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2
}
