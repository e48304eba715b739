import {
  type DatedReport,
  type DeploymentReport,
  REPORT_LIFETIME_MS,
} from "../deployment-reports.ts"
import type { Store } from "../store.ts"
import { RecordColumns } from "./record-columns.ts"
import { larger, list, perEngine, sql } from "./sql.ts"
import { row, run, statements, type Step, type StepMethods, transaction } from "./step.ts"

const REPORT = new RecordColumns<DatedReport>({
  deployment: "text",
  event: "text",
  node: "text",
  age: "number",
  cooldownMs: "number",
})

export const deploymentReportSteps: StepMethods<Store["deploymentReports"]> = {
  report: transaction(report),
  after: statements(after),
}

/** Returns the current time. On PostgreSQL, it is the time of the server, because the clocks of nodes differ. */
function currentTime() {
  return perEngine({ sqlite: sql`${Date.now()}`, postgresql: sql`tollgate_now()` })
}

/**
 * Writes reports. The row with the revision is locked, so that reports become visible in the order of their revisions.
 */
function* report(node: string, reports: readonly DeploymentReport[]): Step<void> {
  const next = yield* row<{ number: bigint }>(
    sql`UPDATE deployment_revision SET number = number + 1 RETURNING number`,
  )
  const [now, revision] = [currentTime(), next?.number ?? 0n]
  const values = reports.map(
    ({ deployment, event, cooldownMs }) =>
      sql`(${deployment}, ${event}, ${node}, ${now}, ${now} + ${Math.ceil(cooldownMs)}, ${revision})`,
  )
  if (values.length === 0) return
  yield* run(
    sql`INSERT INTO deployment_reports AS known (deployment, event, node, at, until, revision) VALUES ${list(values)}
      ON CONFLICT (deployment, event) DO UPDATE SET node = excluded.node, at = excluded.at, revision = excluded.revision,
        until = CASE WHEN known.event = 'overloaded' THEN ${larger(sql`known.until`, sql`excluded.until`)}
          ELSE excluded.until END`,
  )
}

function* after(revision: number): Step<DatedReport[]> {
  const now = currentTime()
  const found = yield* REPORT.rows(
    sql`SELECT deployment, event, node, ${now} - at AS age, until - ${now} AS cooldown_ms FROM deployment_reports
      WHERE revision > ${revision} AND ${larger(sql`at`, sql`until`)} > ${now} - ${REPORT_LIFETIME_MS}
      ORDER BY revision, deployment, event`,
  )
  return found.map(({ age, cooldownMs, ...dated }) => ({
    ...dated,
    age: Math.max(0, age),
    cooldownMs: Math.max(0, cooldownMs),
  }))
}
