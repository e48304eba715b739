/**
 * What a node has seen of a deployment: it failed several times in a row, it works again, its vendor asked for fewer
 * requests, or its vendor refused the operator's credential.
 */
export type DeploymentEvent = "failed" | "recovered" | "overloaded" | "refused"

export interface DeploymentReport {
  readonly deployment: string
  readonly event: DeploymentEvent
  /** How long the deployment is avoided, milliseconds. */
  readonly rest: number
}

/** A report as others get it. Its times are by the database's clock, counted from now. */
export interface DatedReport extends DeploymentReport {
  /** Who reports it. */
  readonly node: string
  /** How long ago it was reported, milliseconds. */
  readonly age: number
}

/** What nodes tell each other of deployments: the last report of each event. */
export interface DeploymentReportWrites {
  /** May be repeated. */
  report(node: string, reports: readonly DeploymentReport[]): Promise<void>
  /** Recent reports that came after a revision, as `NodeChanges.deploymentRevision` counts them. */
  after(revision: number): Promise<DatedReport[]>
}

/** Reports that ended longer ago than this tell nothing, milliseconds. */
export const LONGEST_NEWS = 60_000
