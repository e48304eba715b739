import type { NodeChanges } from "../store/nodes.ts"
import type { DeploymentReport, DeploymentReportWrites } from "../store/deployment-reports.ts"
import type { Health } from "./health.ts"

/** A wait that a vendor extends by less than this is not reported again, milliseconds. */
const RESOLUTION = 500
/** Waits remembered, to see whether they are extended. */
const MAX_WAITS = 10_000

export interface HealthExchangeParts {
  readonly health: Health
  readonly reports: DeploymentReportWrites
  /** This node. */
  readonly node: string
  readonly onFailure: (error: unknown) => void
}

/**
 * Tells nodes on other machines what happens to deployments, and learns from them. Where there are none, it does nothing.
 * Reports are lost while the database cannot be reached: each node then finds out by itself.
 */
export class HealthExchange {
  readonly #health: Health
  readonly #reports: DeploymentReportWrites
  readonly #node: string
  readonly #onFailure: (error: unknown) => void
  /** What is to be sent. */
  #waiting = new Map<string, DeploymentReport>()
  /** Until when vendors ask for fewer requests, as reported last; by `performance.now()`. */
  readonly #waits = new Map<string, number>()
  #isSending = false
  #hasCompany = false
  #revision = 0

  constructor({ health, reports, node, onFailure }: HealthExchangeParts) {
    this.#health = health
    this.#reports = reports
    this.#node = node
    this.#onFailure = onFailure
  }

  /** Learns what was reported since it last looked. */
  async look({
    machines,
    deploymentRevision,
  }: Pick<NodeChanges, "machines" | "deploymentRevision">): Promise<void> {
    this.#hasCompany = machines > 1
    this.#health.onChange = this.#hasCompany ? (report) => this.#tell(report) : undefined
    if (!this.#hasCompany || deploymentRevision === this.#revision) return
    const news = await this.#reports.after(this.#revision)
    this.#revision = deploymentRevision
    for (const report of news) if (report.node !== this.#node) this.#health.learn(report)
  }

  #tell(report: DeploymentReport): void {
    const { deployment, event } = report
    if (event === "overloaded" && !this.#isLonger(report)) return
    this.#waiting.set(`${event} ${deployment}`, report)
    if (!this.#isSending) void this.#send()
  }

  /** Of a burst of refusals only the first is news. */
  #isLonger({ deployment, rest }: DeploymentReport): boolean {
    const until = performance.now() + rest
    if (until - (this.#waits.get(deployment) ?? -Infinity) < RESOLUTION) return false
    if (this.#waits.size >= MAX_WAITS) this.#waits.clear()
    this.#waits.set(deployment, until)
    return true
  }

  async #send(): Promise<void> {
    this.#isSending = true
    try {
      while (this.#waiting.size > 0) {
        const reports = [...this.#waiting.values()]
        this.#waiting = new Map()
        await this.#reports.report(this.#node, reports)
      }
    } catch (error) {
      this.#onFailure(error)
    } finally {
      this.#isSending = false
    }
  }
}
