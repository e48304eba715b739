import type { SubjectName } from "../options.ts"
import type { Running } from "../subjects/subject.ts"
import type { Upstream } from "../upstream.ts"
import { reasonOf } from "../load/ask.ts"
import type { ScenarioName } from "./plan.ts"
import { checkRight } from "./right-answers.ts"

/** Why some could not be measured in some scenarios. */
export type Refusals = Partial<Record<ScenarioName, Record<string, string>>>

/** Keeps account of who is out of which scenario, and why. */
export class Field {
  readonly refusals: Refusals = {}

  /** Takes one out of a scenario. */
  refuse(scenario: ScenarioName, name: string, error: unknown): void {
    const refused = (this.refusals[scenario] ??= {})
    refused[name] ??= reasonOf(error)
  }

  /** Runs what is done with one; what goes wrong takes it out of the scenario, and the race goes on. */
  async attempt<Result>(
    scenario: ScenarioName,
    name: string,
    what: () => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      return await what()
    } catch (error) {
      this.refuse(scenario, name, error)
      return undefined
    }
  }

  /** Those that answer right in a scenario, each with the frames of its streams. */
  async able(
    scenario: ScenarioName,
    running: readonly Running[],
    upstream: Upstream,
  ): Promise<ReadonlyMap<Running, number | undefined>> {
    const able = new Map<Running, number | undefined>()
    for (const one of running) {
      if (scenario === "anthropic" && one.name === ("bare" satisfies SubjectName)) {
        able.set(one, undefined)
        continue
      }
      const right = await this.attempt(scenario, one.name, () =>
        checkRight(scenario, one, upstream),
      )
      if (right !== undefined) able.set(one, right.frames)
    }
    return able
  }

  /** Whether one is still in a scenario. */
  isIn(scenario: ScenarioName, name: string): boolean {
    return this.refusals[scenario]?.[name] === undefined
  }
}
