import type { DeploymentReport } from "../store/deployment-reports.ts"
import type { Notices } from "./notices.ts"

/** Minimum time between two notices about the same deployment. */
const REPEAT_INTERVAL_MS = 10 * 60_000
const MAX_REMEMBERED = 10_000
/** Length of the date in a timestamp. A notice is raised once per day, deployment and name. */
const DAY_LENGTH = "2026-11-23".length

/**
 * Raises notices about deployments and their providers for the operator. It never throws and never delays the caller.
 */
export class ProblemNotices {
  readonly #notices: Notices
  readonly #clock: () => number
  /** Time of the last notice, by name. */
  readonly #raisedAt = new Map<string, number>()

  constructor(notices: Notices, clock: () => number = () => performance.now()) {
    this.#notices = notices
    this.#clock = clock
  }

  /**
   * Reports that a circuit opened or closed, or that a credential was rejected.
   * @param reason a description in the gateway's own words.
   */
  deployment({ deployment, event, cooldownMs }: DeploymentReport, reason = ""): void {
    if (event === "overloaded") return
    if (event === "recovered") return this.#recovered(deployment)
    const [type, name] =
      event === "rejected"
        ? (["credential.rejected", `credential:${deployment}`] as const)
        : (["deployment.cooling_down", `deployment:${deployment}`] as const)
    if (!this.#isDue(name, REPEAT_INTERVAL_MS)) return
    const data = {
      deployment,
      cooldown_ms: Math.ceil(cooldownMs),
      ...(reason !== "" && { reason }),
    }
    this.#notices.notify({ type, data, mark: { name, from: null, to: "told" } })
  }

  /** Reports that a vendor bills a service for which no price is configured. */
  unpriced(request: string, deployment: string, names: readonly string[]): void {
    const day = new Date().toISOString().slice(0, DAY_LENGTH)
    for (const name of names) {
      const mark = `unpriced:${deployment}:${name}:${day}`
      if (!this.#isDue(mark, Infinity)) continue
      const data = { deployment, name, request }
      this.#notices.notify({
        type: "usage.unpriced",
        data,
        mark: { name: mark, from: null, to: "told" },
      })
    }
  }

  #recovered(deployment: string): void {
    for (const kind of ["credential", "deployment"]) {
      const mark = { name: `${kind}:${deployment}`, from: "told", to: null }
      this.#notices.notify({ type: "deployment.recovered", data: { deployment }, mark })
    }
  }

  /** Whether no notice with this name was raised within the given time. If so, this notice is recorded. */
  #isDue(name: string, calm: number): boolean {
    const now = this.#clock()
    const last = this.#raisedAt.get(name)
    if (last !== undefined && now - last < calm) return false
    if (this.#raisedAt.size >= MAX_REMEMBERED) this.#raisedAt.clear()
    this.#raisedAt.set(name, now)
    return true
  }
}
