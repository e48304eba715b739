import type { Machine } from "../machine.ts"
import type { Work } from "../subjects/subject.ts"
import type { AloneResults } from "./alone.ts"
import type { Rejections } from "./field.ts"
import type { LatencyRace } from "./latency.ts"
import type { LoadName } from "./loads.ts"
import type { LongMemory } from "./long-memory.ts"
import type { RaceEffort, ScenarioName } from "./plan.ts"
import type { ProcessorRace } from "./processor.ts"

/** A subject that takes part in a race. */
export interface Contestant {
  readonly name: string
  readonly version: string
  readonly work: Work
}

/** All results of a race. Results of scenarios that were not requested are absent. */
export interface RaceResults extends AloneResults {
  readonly date: string
  readonly isQuick: boolean
  readonly seed: number
  readonly machine: Machine
  readonly effort: RaceEffort
  readonly scenarios: readonly ScenarioName[]
  readonly contestants: readonly Contestant[]
  /** The reasons why other subjects could not take part. */
  readonly missing: Readonly<Record<string, string>>
  /** The reasons why subjects have no result in a scenario. */
  readonly rejections: Rejections
  readonly processor: Partial<Record<LoadName, ProcessorRace>>
  latency?: LatencyRace
  memory?: readonly LongMemory[]
  /** Total duration in seconds. */
  seconds: number
}
