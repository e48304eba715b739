import type { Database } from "bun:sqlite"
import {
  type DatedReport,
  type DeploymentEvent,
  type DeploymentReport,
  REPORT_LIFETIME_MS,
} from "../deployment-reports.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Transactions } from "./transactions.ts"

interface ReportRow {
  readonly deployment: string
  readonly event: DeploymentEvent
  readonly node: string
  readonly at: bigint
  readonly until: bigint
}

/** Stores reports of nodes about deployments for other nodes. Methods that write must run inside a transaction. */
export class DeploymentReports {
  readonly #database: Database
  readonly #revision

  constructor(database: Database) {
    this.#database = database
    this.#revision = database.prepare<{ number: bigint }, []>(
      "SELECT number FROM deployment_revision",
    )
  }

  revision(): number {
    return Number(this.#revision.get()?.number ?? 0n)
  }

  report(node: string, reports: readonly DeploymentReport[]): void {
    this.#database.run("UPDATE deployment_revision SET number = number + 1")
    const revision = BigInt(this.revision())
    const now = Date.now()
    for (const { deployment, event, cooldownMs } of reports) {
      this.#database.run(
        `INSERT INTO deployment_reports (deployment, event, node, at, until, revision) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (deployment, event) DO UPDATE SET node = excluded.node, at = excluded.at,
           revision = excluded.revision,
           until = CASE event WHEN 'overloaded' THEN max(until, excluded.until) ELSE excluded.until END`,
        [deployment, event, node, BigInt(now), BigInt(Math.ceil(now + cooldownMs)), revision],
      )
    }
  }

  after(revision: number): DatedReport[] {
    const now = Date.now()
    return this.#database
      .query<ReportRow, [bigint, bigint]>(
        `SELECT deployment, event, node, at, until FROM deployment_reports
         WHERE revision > ? AND max(at, until) > ? ORDER BY revision, deployment, event`,
      )
      .all(BigInt(revision), BigInt(now - REPORT_LIFETIME_MS))
      .map(({ at, until, ...row }) => ({
        ...row,
        age: Math.max(0, now - Number(at)),
        cooldownMs: Math.max(0, Number(until) - now),
      }))
  }
}

export function deploymentReportMethods(
  transactions: Transactions,
  reports: DeploymentReports,
): DirectStore["deploymentReports"] {
  return {
    report: (node, news) => transactions.atomically(() => reports.report(node, news)),
    after: (revision) => reports.after(revision),
  }
}
