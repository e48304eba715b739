/**
 * An event of a deployment: it failed several times in a row, it recovered, its vendor asked for fewer requests, or its
 * vendor rejected the operator's credential.
 */
export type DeploymentEvent = "failed" | "recovered" | "overloaded" | "rejected"

export interface DeploymentReport {
  readonly deployment: string
  readonly event: DeploymentEvent
  /** Time during which the deployment is avoided, in milliseconds. */
  readonly cooldownMs: number
}

/**
 * A report in the form in which other nodes receive it. Its times are relative to the current time of the database's
 * clock.
 */
export interface DatedReport extends DeploymentReport {
  /** The node that made the report. */
  readonly node: string
  /** Milliseconds since the report was made. */
  readonly age: number
}

/** Exchanges the latest report of each event between nodes. */
export interface DeploymentReportWrites {
  /** Writes reports. Writing the same reports again has no effect. */
  report(node: string, reports: readonly DeploymentReport[]): Promise<void>
  /** Returns recent reports that were written after a revision (`NodeChanges.deploymentRevision`). */
  after(revision: number): Promise<DatedReport[]>
}

/** Time after which a report is ignored, counted from the report or the end of its cooldown, whichever is later. */
export const REPORT_LIFETIME_MS = 60_000
