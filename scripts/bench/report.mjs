import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

const SUBJECTS = ['svc', 'node:http', 'fastify']

/** The machine that the figures come from: they cannot be compared with those of another machine, or of a busy one. */
export function machine () {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model.trim(),
    cores: availableParallelism(),
    memory: totalmem(),
    load: loadavg()[0]
  }
}

export function printMachine ({ node, platform, cpu, cores, load }) {
  console.log(`Node ${node}, ${platform}, ${cores} x ${cpu}, load ${load.toFixed(2)}\n`)
}

/** Prints the table of one benchmark: the medians (and their range), then each goal and whether it is met. */
export function print (name, { rows, goals = [], notes = [] }) {
  const names = [...SUBJECTS, ...new Set(rows.flatMap(({ cells }) => Object.keys(cells)).filter(key => !SUBJECTS.includes(key)))]
    .filter(key => rows.some(({ cells }) => cells[key]))
  const lines = [[name, ...names], ...rows.map(({ what, unit, digits, cells }) =>
    [`  ${what}, ${unit}`, ...names.map(key => cells[key] ? shown(cells[key], digits) : '-')])]
  const widths = lines[0].map((_, column) => Math.max(...lines.map(line => line[column].length)))
  for (const line of lines) console.log(line.map((cell, i) => i === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[i] + 2)).join(''))
  for (const { text, value, unit, met } of goals) console.log(`  ${stateOf(met)} ${text}: ${value.toFixed(2)}${unit}`)
  for (const note of notes) console.log(`  ${note}`)
  console.log()
}

const stateOf = met => met === undefined ? 'UNSURE' : met ? 'met   ' : 'MISSED'

function shown ({ median, min, max }, digits) {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}..${max.toFixed(digits)})`
}
