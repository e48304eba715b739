import type { SubjectName } from "../options.ts"
import type { Running } from "../subjects/subject.ts"
import type { Upstream } from "../upstream.ts"
import { reasonOf } from "../load/ask.ts"
import type { ScenarioName } from "./plan.ts"
import { checkRight } from "./right-responses.ts"

/** The reasons why subjects could not be measured, by scenario. */
export type Rejections = Partial<Record<ScenarioName, Record<string, string>>>

/** Records the subjects that have been removed from a scenario, with the reasons. */
export class Field {
  readonly rejections: Rejections = {}

  /** Removes a subject from a scenario. */
  reject(scenario: ScenarioName, name: string, error: unknown): void {
    const rejected = (this.rejections[scenario] ??= {})
    rejected[name] ??= reasonOf(error)
  }

  /** Runs a measurement of one subject. A failure removes the subject from the scenario, and the race continues. */
  async attempt<Result>(
    scenario: ScenarioName,
    name: string,
    what: () => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      return await what()
    } catch (error) {
      this.reject(scenario, name, error)
      return undefined
    }
  }

  /** Returns the subjects whose responses are correct in a scenario, each with the number of frames in its streams. */
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

  /** Whether a subject is still in a scenario. */
  isIn(scenario: ScenarioName, name: string): boolean {
    return this.rejections[scenario]?.[name] === undefined
  }
}
