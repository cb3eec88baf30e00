// How likely it is that a candidate is right, from what is known without the truth: how many independent drafts behave
// alike, which pass the examples, and what blind tests say. The weights are priors, not measurements of one model:
// models either know a task or don't (a U-shaped skill), wrong programs seldom agree with each other, and a test that
// a small model writes is right four times out of five.

/** Drafts that gave the same result on every call that was tried. */
export interface Cluster {
  drafts: number
  /** Of the examples in the prompt; null where there are none. */
  passesExamples: boolean | null
  /** The checker found names in it that exist nowhere. */
  suspect: boolean
  /** What it gave for each call, as comparable text. */
  results: ReadonlyMap<string, string>
}

/** A blind test: for this call it wants this result. The tests of one reply may share one misconception. */
export interface Vote { call: string, wants: string }

export interface Beliefs {
  /** The skill of the model at this task is Beta(skill, skill) distributed: below 1, it mostly knows it or doesn't. */
  skill: number
  /** How many ways there are to be wrong (the concentration of a Chinese restaurant process). */
  waysToFail: number
  /** That a wrong program passes one example; each further one stops a share of what is left. */
  slipsThrough: number
  slipsLess: number
  /** That a blind test is right, and that all tests of a reply share one wrong view. */
  testIsRight: number
  misconception: number
  /** That a wrong test wants just what another candidate gives. */
  testFollowsError: number
  /** That wrong programs hit the truth on a call: where they all agree, and where they don't. */
  hitsAgreed: number
  hitsDisputed: number
  /** That the checker finds names in a program that exist nowhere: in a right one, and in a wrong one. */
  suspectRight: number
  suspectWrong: number
}

export const BELIEFS: Beliefs = {
  skill: 0.45,
  waysToFail: 5,
  slipsThrough: 0.35,
  slipsLess: 0.6,
  testIsRight: 0.8,
  misconception: 0.1,
  testFollowsError: 0.4,
  hitsAgreed: 0.75,
  hitsDisputed: 0.4,
  suspectRight: 0.03,
  suspectWrong: 0.2
}

/** Chances: of each cluster to be the right one; what is left of 1 is that none is. `failed` drafts did not even load. */
export function posterior (
  clusters: readonly Cluster[],
  failed: number,
  replies: readonly Vote[][],
  examples: number,
  beliefs: Beliefs = BELIEFS
): number[] {
  const none = weigh(null, clusters, failed, replies, examples, beliefs)
  const each = clusters.map(cluster => weigh(cluster, clusters, failed, replies, examples, beliefs))
  const top = Math.max(none, ...each)
  const sum = [none, ...each].reduce((total, weight) => total + Math.exp(weight - top), 0)
  return each.map(weight => Math.exp(weight - top) / sum)
}

/** The logarithm of how likely all that was seen is, if `right` is the right one, or none (null). */
function weigh (
  right: Cluster | null, clusters: readonly Cluster[], failed: number, replies: readonly Vote[][], examples: number, beliefs: Beliefs
): number {
  if (right?.passesExamples === false) return -Infinity
  const all = clusters.reduce((sum, cluster) => sum + cluster.drafts, failed)
  const good = right?.drafts ?? 0
  const { skill, waysToFail } = beliefs
  const slips = beliefs.slipsThrough * beliefs.slipsLess ** Math.max(0, examples - 1)
  let weight = logBeta(skill + good, skill + all - good) - logBeta(skill, skill)
  let wrong = 0
  for (const cluster of clusters) {
    const share = cluster === right ? beliefs.suspectRight : beliefs.suspectWrong
    weight += Math.log(cluster.suspect ? share : 1 - share)
    if (cluster === right) continue
    weight += Math.log(waysToFail)
    for (let drafts = 1; drafts < cluster.drafts; drafts++) weight += Math.log(drafts)
    wrong += cluster.drafts
    if (cluster.passesExamples !== null) weight += Math.log(cluster.passesExamples ? slips : 1 - slips)
  }
  for (let drafts = 0; drafts < wrong; drafts++) weight -= Math.log(waysToFail + drafts)
  return replies.reduce((sum, votes) => sum + weighVotes(right, clusters, votes, beliefs), weight)
}

function weighVotes (right: Cluster | null, clusters: readonly Cluster[], votes: readonly Vote[], beliefs: Beliefs): number {
  const { testIsRight, misconception, testFollowsError, hitsAgreed, hitsDisputed } = beliefs
  let sound = 1
  let mistaken = 1
  for (const { call, wants } of votes) {
    const results = clusters.map(cluster => cluster.results.get(call))
    const wanted = results.includes(wants)
    if (right === null) {
      const hit = new Set(results).size === 1 ? hitsAgreed : hitsDisputed
      const agrees = hit * testIsRight + (1 - testIsRight) * testFollowsError
      sound *= wanted ? agrees : 1 - agrees
      mistaken *= 0.5
    } else {
      const other = wanted ? testFollowsError : 1 - testFollowsError
      const hit = right.results.get(call) === wants
      sound *= hit ? testIsRight : (1 - testIsRight) * other
      mistaken *= hit ? 0.5 : 0.5 * other
    }
  }
  return Math.log((1 - misconception) * sound + misconception * mistaken)
}

function logBeta (a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b)
}

/** Stirling's series; small arguments are moved up to where it is exact to 1e-10. */
function logGamma (x: number): number {
  let shift = 0
  for (; x < 20; x++) shift += Math.log(x)
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * x) - 1 / (360 * x ** 3) - shift
}
