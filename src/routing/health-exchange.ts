import type { NodeChanges } from "../store/nodes.ts"
import type { DeploymentReport, DeploymentReportWrites } from "../store/deployment-reports.ts"
import type { Health } from "./health.ts"

/** Minimum extension of a vendor's wait for which the wait is reported again. */
const MIN_EXTENSION_MS = 500
/** Maximum waits that are remembered in order to detect extensions. */
const MAX_WAITS = 10_000

export interface HealthExchangeParts {
  readonly health: Health
  readonly reports: DeploymentReportWrites
  /** The id of this node. */
  readonly node: string
  readonly onFailure: (error: unknown) => void
}

/**
 * Exchanges events of deployments with nodes on other machines. Without other nodes, it does nothing. While the
 * database is unavailable, reports are lost and each node detects failures itself.
 */
export class HealthExchange {
  readonly #health: Health
  readonly #reports: DeploymentReportWrites
  readonly #node: string
  readonly #onFailure: (error: unknown) => void
  /** Reports that have not been sent yet. */
  #pending = new Map<string, DeploymentReport>()
  /** The ends of vendors' waits as last reported, by `performance.now()`. */
  readonly #waits = new Map<string, number>()
  #isSending = false
  #hasOtherMachines = false
  #revision = 0

  constructor({ health, reports, node, onFailure }: HealthExchangeParts) {
    this.#health = health
    this.#reports = reports
    this.#node = node
    this.#onFailure = onFailure
  }

  /** Applies the reports that other nodes have sent since the last call. */
  async update({
    machines,
    deploymentRevision,
  }: Pick<NodeChanges, "machines" | "deploymentRevision">): Promise<void> {
    this.#hasOtherMachines = machines > 1
    this.#health.onChange = this.#hasOtherMachines ? (report) => this.#enqueue(report) : undefined
    if (!this.#hasOtherMachines || deploymentRevision === this.#revision) return
    const reports = await this.#reports.after(this.#revision)
    this.#revision = deploymentRevision
    for (const report of reports) if (report.node !== this.#node) this.#health.applyReport(report)
  }

  #enqueue(report: DeploymentReport): void {
    const { deployment, event } = report
    if (event === "overloaded" && !this.#isLonger(report)) return
    this.#pending.set(`${event} ${deployment}`, report)
    if (!this.#isSending) void this.#send()
  }

  /** Whether a vendor's wait was extended. Only the first rejection of a burst is reported. */
  #isLonger({ deployment, cooldownMs }: DeploymentReport): boolean {
    const until = performance.now() + cooldownMs
    if (until - (this.#waits.get(deployment) ?? -Infinity) < MIN_EXTENSION_MS) return false
    if (this.#waits.size >= MAX_WAITS) this.#waits.clear()
    this.#waits.set(deployment, until)
    return true
  }

  async #send(): Promise<void> {
    this.#isSending = true
    try {
      while (this.#pending.size > 0) {
        const reports = [...this.#pending.values()]
        this.#pending = new Map()
        await this.#reports.report(this.#node, reports)
      }
    } catch (error) {
      this.#onFailure(error)
    } finally {
      this.#isSending = false
    }
  }
}
