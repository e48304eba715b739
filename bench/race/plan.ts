/** The scenarios, in the order in which they run. */
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
/** The name of a scenario. */
export type ScenarioName = (typeof SCENARIOS)[number]

/** The duration of each scenario. Times are in milliseconds. */
export interface RaceEffort {
  /** Warm-up before the first block of the race, and before the first block of each further scenario. */
  readonly firstWarmUp: number
  readonly warmUp: number
  /**
   * Maximum number of rounds. After the first two rounds, a round begins only if the scenario has lasted less than
   * `scenarioTime`.
   */
  readonly rounds: number
  readonly scenarioTime: number
  readonly block: number
  readonly streamRounds: number
  readonly streamBlock: number
  readonly latencyRounds: number
  readonly latencyBlock: number
  /** Number of starts of each subject. There are fewer if the starts together take longer than `startTime`. */
  readonly starts: number
  readonly startTime: number
  /** Time without requests before memory is read. */
  readonly settling: number
  readonly uploads: number
  /** Duration of the steady load. */
  readonly memoryTime: number
  readonly memorySample: number
}

/** The effort of a full race: about 23 minutes with eight contestants, including ten minutes for memory. */
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

/** The effort of a quick race: about five minutes. */
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

/** Yields the numbers of a scenario's rounds, as long as there is time. The warm-up is the first, with number -1. */
export function* roundsOf(most: number, { scenarioTime }: RaceEffort): Generator<number> {
  const begun = performance.now()
  for (let round = -1; round < most; round++) {
    if (round >= FIRST_ROUNDS && performance.now() - begun > scenarioTime) return
    yield round
  }
}
