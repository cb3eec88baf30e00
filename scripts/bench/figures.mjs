// Statistics of samples, rows of tables, and goals.

export function quantile (samples, q) {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? NaN
}

export function median (samples) {
  const sorted = samples.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** One row of the table: for each subject the median, minimum and maximum of its samples. */
export function row (what, unit, samples, digits = 0) {
  const cells = Object.fromEntries(Object.entries(samples).map(([name, values]) =>
    [name, { median: median(values), min: Math.min(...values), max: Math.max(...values), samples: values }]))
  return { what, unit, digits, cells }
}

export function atLeast (text, value, limit, unit = '') {
  return { text: `${text} >= ${limit}${unit}`, value, unit, met: value >= limit }
}

/** A goal that counts as undecided if `isDecided` is false, because something else limited the figure. */
export function onlyIf (isDecided, goal) {
  return isDecided ? goal : { ...goal, met: undefined }
}

export function atMost (text, value, limit, unit = '') {
  return { text: `${text} <= ${limit}${unit}`, value, unit, met: value <= limit }
}

/** Measures every subject once per round. Each round begins with another subject; the first round only warms up. */
export async function interleave (names, rounds, measure) {
  const found = Object.fromEntries(names.map(name => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length]
      const sample = await measure(name)
      if (round > 0) found[name].push(sample)
    }
  }
  return found
}

/** One figure of samples that contain several. */
export function pick (found, key) {
  return Object.fromEntries(Object.entries(found).map(([name, samples]) => [name, samples.map(sample => sample[key])]))
}
