import { formatCredits } from "../ledger/money.ts"
import type { DeploymentReport } from "../store/deployment-reports.ts"
import type { Notices } from "./notices.ts"

/** Minimum time between two notices about the same deployment. */
const REPEAT_INTERVAL_MS = 10 * 60_000
const MAX_REMEMBERED = 10_000
/** Length of the date in a timestamp. */
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
    for (const name of names) {
      const data = { deployment, name, request }
      this.#daily("usage.unpriced", `unpriced:${deployment}:${name}`, data)
    }
  }

  /**
   * Reports that a provider bills more than the price of a model.
   * @param costs amounts in nanocredits.
   */
  priceBelowCost(
    request: string,
    deployment: string,
    { stated, priced }: { readonly stated: bigint; readonly priced: bigint },
  ): void {
    const costs = { stated: formatCredits(stated), priced: formatCredits(priced) }
    const data = { deployment, ...costs, request }
    this.#daily("price.below_cost", `price-below-cost:${deployment}`, data)
  }

  /** Raises a notice once a day for each subject. */
  #daily(
    type: "usage.unpriced" | "price.below_cost",
    subject: string,
    data: Readonly<Record<string, string>>,
  ): void {
    const name = `${subject}:${new Date().toISOString().slice(0, DAY_LENGTH)}`
    if (!this.#isDue(name, Infinity)) return
    this.#notices.notify({ type, data, mark: { name, from: null, to: "told" } })
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
