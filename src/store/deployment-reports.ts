/**
 * An event of a deployment: it failed several times in a row, it recovered, its vendor asked for fewer requests, or its
 * vendor refused the operator's credential.
 */
export type DeploymentEvent = "failed" | "recovered" | "overloaded" | "refused"

export interface DeploymentReport {
  readonly deployment: string
  readonly event: DeploymentEvent
  /** Time for avoiding the deployment, in milliseconds. */
  readonly rest: number
}

/** A report as other nodes receive it. Its times are relative to now, by the database's clock. */
export interface DatedReport extends DeploymentReport {
  /** The reporting node. */
  readonly node: string
  /** Milliseconds since it was reported. */
  readonly age: number
}

/** Exchanges the last report of each event between nodes. */
export interface DeploymentReportWrites {
  /** Writes reports. May be repeated. */
  report(node: string, reports: readonly DeploymentReport[]): Promise<void>
  /** Returns recent reports after a revision (`NodeChanges.deploymentRevision`). */
  after(revision: number): Promise<DatedReport[]>
}

/** Reports that ended longer ago are ignored. */
export const REPORT_LIFETIME_MS = 60_000
