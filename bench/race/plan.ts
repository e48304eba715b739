/** What is raced, in this order. */
export const SCENARIOS = [
  "chat",
  "chat-alone",
  "prompt",
  "streams",
  "anthropic",
  "embeddings",
  "latency",
  "start",
  "idle",
  "upload",
  "memory",
] as const
/** One thing that is raced. */
export type ScenarioName = (typeof SCENARIOS)[number]

/** How long each scenario takes. Times in milliseconds. */
export interface RaceEffort {
  /** Before the first block of all, and before the first of each further scenario. */
  readonly firstWarmUp: number
  readonly warmUp: number
  /** The most; none but the first two begins when a scenario has lasted `scenarioTime`. */
  readonly rounds: number
  readonly scenarioTime: number
  readonly block: number
  readonly streamRounds: number
  readonly streamBlock: number
  readonly latencyRounds: number
  readonly latencyBlock: number
  /** Starts of each; fewer of one that takes longer than `startTime` for all of them. */
  readonly starts: number
  readonly startTime: number
  /** Quiet time before memory is read. */
  readonly settling: number
  readonly uploads: number
  /** Of steady load, until memory is read. */
  readonly memoryTime: number
  readonly memorySample: number
}

/** Some 23 minutes with eight contestants, of which ten are those of the memory. */
export const FULL_RACE: RaceEffort = {
  firstWarmUp: 6_000,
  warmUp: 2_000,
  rounds: 4,
  scenarioTime: 120_000,
  block: 1_200,
  streamRounds: 3,
  streamBlock: 2_000,
  latencyRounds: 4,
  latencyBlock: 2_500,
  starts: 5,
  startTime: 20_000,
  settling: 1_500,
  uploads: 5,
  memoryTime: 600_000,
  memorySample: 5_000,
}

/** Some five minutes. */
export const QUICK_RACE: RaceEffort = {
  firstWarmUp: 1_500,
  warmUp: 500,
  rounds: 3,
  scenarioTime: 30_000,
  block: 500,
  streamRounds: 2,
  streamBlock: 1_000,
  latencyRounds: 2,
  latencyBlock: 1_000,
  starts: 2,
  startTime: 10_000,
  settling: 500,
  uploads: 2,
  memoryTime: 20_000,
  memorySample: 1_000,
}

const FIRST_ROUNDS = 2

/** The rounds of a scenario, the warm-up as -1 first: as many as there is time for. */
export function* roundsOf(most: number, { scenarioTime }: RaceEffort): Generator<number> {
  const begun = performance.now()
  for (let round = -1; round < most; round++) {
    if (round >= FIRST_ROUNDS && performance.now() - begun > scenarioTime) return
    yield round
  }
}
