import { type Candidate, type Subject, standing } from './candidate.js'
import { isSuspect } from './slips.js'
import { type Cluster, type Vote, posterior } from './posterior.js'

export interface Ranked {
  candidate: Candidate
  chance: number
  cluster: readonly Candidate[]
  /** How many drafts behave like this, and which share of all drafts that is. */
  drafts: number
  share: number
}

export interface Ranking {
  /** One candidate for each kind of behaviour, the likeliest to be right first. */
  ranked: Ranked[]
  best: Ranked | undefined
}

/** Groups the candidates by their behaviour, and computes how likely each behaviour is the right one. */
export function rank (candidates: readonly Candidate[], subject: Subject, votes: readonly Vote[][]): Ranking {
  const clusters = new Map<string, { cluster: Cluster, members: Candidate[] }>()
  let failed = 0
  for (const candidate of candidates) {
    if (candidate.fault !== null) {
      failed += candidate.drafts
      continue
    }
    const results = new Map(Array.from(candidate.results, ([key, { print }]) => [key, print]))
    // Programs of which nothing was run count as alike only if their sources are the same.
    const sorted = [...results].sort(([left], [right]) => left < right ? -1 : 1)
    const behaviour = JSON.stringify([standing(candidate, subject), results.size === 0 ? candidate.main.source : sorted])
    const known = clusters.get(behaviour)
    if (known) {
      known.members.push(candidate)
      known.cluster.drafts += candidate.drafts
      known.cluster.suspect &&= isSuspect(candidate)
    } else clusters.set(behaviour, {
      members: [candidate],
      cluster: { suspect: isSuspect(candidate), drafts: candidate.drafts, passesExamples: passes(candidate, subject), results }
    })
  }
  const all = [...clusters.values()]
  const chances = posterior(all.map(({ cluster }) => cluster), failed, votes, subject.examples.length + subject.runs.length)
  const drafts = all.reduce((sum, { cluster }) => sum + cluster.drafts, failed)
  const ranked = all.flatMap(({ members, cluster }, index) => {
    const candidate = cleanest(members)
    if (candidate === undefined) return []
    const share = drafts === 0 ? 1 : cluster.drafts / drafts
    return [{ candidate, chance: chances[index] ?? 0, cluster: members, drafts: cluster.drafts, share }]
  }).sort((left, right) => right.chance - left.chance)
  return { ranked, best: ranked[0] }
}

function passes (candidate: Candidate, subject: Subject): boolean | null {
  const stands = standing(candidate, subject)
  return stands === 'unknown' ? null : stands === 'passes'
}

/** Of programs with the same behaviour: the one with the fewest errors, and of those the first. */
function cleanest (members: readonly Candidate[]): Candidate | undefined {
  const faults = ({ check: { diagnostics }, topFault }: Candidate) =>
    diagnostics.filter(({ severity }) => severity === 'error').length + (topFault === null ? 0 : 1000)
  return members.toSorted((left, right) => faults(left) - faults(right))[0]
}
