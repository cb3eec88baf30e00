// A Bayesian estimate of how likely each candidate is right: from how many independent drafts behave alike, which of them pass the
// examples, and what blind tests expect. The weights are priors, not measurements of one model: models either know a task or do
// not (a U-shaped skill), wrong programs seldom agree with each other, and a test by a small model is right four times out of five.

/** Drafts that gave the same result on every call that was tried. */
export interface Cluster {
  drafts: number
  /** Whether it passes the examples in the prompt; null if there are none. */
  passesExamples: boolean | null
  /** The checker found unknown names in it. */
  suspect: boolean
  /** The result of each call, as comparable text. */
  results: ReadonlyMap<string, string>
}

/** A blind test: it expects this result of this call. All tests of one reply may share one misconception. */
export interface Vote { call: string, wants: string }

export interface Beliefs {
  /** The skill of the model at this task is Beta(skill, skill) distributed: below 1, it mostly knows it or doesn't. */
  skill: number
  /** How many ways there are to be wrong (the concentration of a Chinese restaurant process). */
  waysToFail: number
  /** The chance that a wrong program passes one example, and the factor for each further example. */
  slipsThrough: number
  slipsLess: number
  /** The chance that a blind test is right, and that all tests of a reply share one misconception. */
  testIsRight: number
  misconception: number
  /** The chance that a wrong test expects just the result of another candidate. */
  testFollowsError: number
  /** The chance that wrong programs give the right result for a call: if they all agree, and if they do not. */
  hitsAgreed: number
  hitsDisputed: number
  /** The chance that the checker finds unknown names: in a right program, and in a wrong one. */
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

/** The chance of each cluster to be the right one; the rest up to 1 is the chance that none is. `failed` drafts did not load. */
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

/** The log-likelihood of everything that was observed, if `right` is the right cluster, or if none is (null). */
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

/** Stirling's series, which is exact to 1e-10 for large arguments: small ones are shifted up first. */
function logGamma (x: number): number {
  let shift = 0
  for (; x < 20; x++) shift += Math.log(x)
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * x) - 1 / (360 * x ** 3) - shift
}
