/** The progress and speed of a download. */
export interface Pace {
  done: number
  total: number | undefined
  /** Bytes per second, over the last seconds. */
  speed: number
}

const WINDOW = 10_000

/** Measures the speed of a download over the last seconds. */
export class Speed {
  #marks: { at: number, done: number }[] = []

  measure (done: number, at = performance.now()): number {
    this.#marks = [...this.#marks.filter(mark => at - mark.at < WINDOW), { at, done }]
    const first = this.#marks[0]
    return first && at > first.at ? Math.max(0, done - first.done) / (at - first.at) * 1000 : 0
  }
}

/** `43 %, 2 min left` */
export function shortly ({ done, total, speed }: Pace): string {
  if (total === undefined) return amount(done)
  const left = speed > 0 ? `, ${duration((total - done) / speed)} left` : ''
  return `${Math.floor(done / total * 100)} %${left}`
}

/** `43 % (2.0 of 4.7 GB), 12 MB/s, 2 min left` */
export function inFull ({ done, total, speed }: Pace): string {
  if (total === undefined) return `${amount(done)}, ${amount(speed)}/s`
  const left = speed > 0 ? `, ${duration((total - done) / speed)} left` : ''
  return `${Math.floor(done / total * 100)} % (${amount(done)} of ${amount(total)}), ${amount(speed)}/s${left}`
}

export function amount (bytes: number): string {
  for (const [unit, size] of [['GB', 1e9], ['MB', 1e6], ['kB', 1e3]] as const) {
    if (bytes >= size) return `${(bytes / size).toFixed(bytes >= 10 * size ? 0 : 1)} ${unit}`
  }
  return `${Math.round(bytes)} B`
}

function duration (seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
