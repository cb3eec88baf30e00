import { type Candidate, type Subject, standing } from './candidate.js'
import { isSuspect } from './slips.js'
import { type Cluster, type Vote, posterior } from './posterior.js'

export interface Ranked {
  candidate: Candidate
  chance: number
  cluster: readonly Candidate[]
  /** How many drafts came out like this, and what share of all that is. */
  drafts: number
  share: number
}

export interface Judgement {
  /** The likeliest first; one for each way to behave. */
  ranked: Ranked[]
  best: Ranked | undefined
}

/** Which candidates behave alike, and how likely each way to behave is the right one. */
export function judge (candidates: readonly Candidate[], subject: Subject, votes: readonly Vote[][]): Judgement {
  const clusters = new Map<string, { cluster: Cluster, members: Candidate[] }>()
  let failed = 0
  for (const candidate of candidates) {
    if (candidate.fault !== null) {
      failed += candidate.drafts
      continue
    }
    const results = new Map(Array.from(candidate.results, ([key, { print }]) => [key, print]))
    // Programs of which nothing was run are alike only where they are the same.
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

/** Of programs that do the same: one whose lines all work, then the one that the tools complain of least, then the first that was said. */
function cleanest (members: readonly Candidate[]): Candidate | undefined {
  const faults = ({ check: { diagnostics }, topFault }: Candidate) =>
    diagnostics.filter(({ severity }) => severity === 'error').length + (topFault === null ? 0 : 1000)
  return members.toSorted((left, right) => faults(left) - faults(right))[0]
}
