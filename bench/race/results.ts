import type { Machine } from "../machine.ts"
import type { Work } from "../subjects/subject.ts"
import type { AloneResults } from "./alone.ts"
import type { Refusals } from "./field.ts"
import type { LatencyRace } from "./latency.ts"
import type { LoadName } from "./loads.ts"
import type { LongMemory } from "./long-memory.ts"
import type { RaceEffort, ScenarioName } from "./plan.ts"
import type { ProcessorRace } from "./processor.ts"

/** One that was raced. */
export interface Contestant {
  readonly name: string
  readonly version: string
  readonly work: Work
}

/** Everything that a race found; scenarios that were not asked for are absent. */
export interface RaceResults extends AloneResults {
  readonly date: string
  readonly isQuick: boolean
  readonly seed: number
  readonly machine: Machine
  readonly effort: RaceEffort
  readonly scenarios: readonly ScenarioName[]
  readonly contestants: readonly Contestant[]
  /** Why the others are not there. */
  readonly missing: Readonly<Record<string, string>>
  /** Why some are not in some scenarios. */
  readonly refusals: Refusals
  readonly processor: Partial<Record<LoadName, ProcessorRace>>
  latency?: LatencyRace
  memory?: readonly LongMemory[]
  /** How long it all took. */
  seconds: number
}
