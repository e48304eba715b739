import {
  type DatedReport,
  type DeploymentEvent,
  REPORT_LIFETIME_MS,
} from "../deployment-reports.ts"
import type { Store } from "../store.ts"
import { bigints, texts } from "./arrays.ts"
import type { PostgresClient } from "./client.ts"

interface ReportRow {
  readonly deployment: string
  readonly event: DeploymentEvent
  readonly node: string
  readonly age: bigint
  readonly cooldown_ms: bigint
}

/** The row with the revision is locked, so that reports become visible in the order of their revisions. */
const REPORT = `WITH next AS (UPDATE deployment_revision SET number = number + 1 RETURNING number)
  INSERT INTO deployment_reports AS known (deployment, event, node, at, until, revision)
  SELECT new.deployment, new.event, $1, tollgate_now(), tollgate_now() + new.cooldown_ms, next.number
  FROM next, unnest($2::text[], $3::text[], $4::bigint[]) AS new (deployment, event, cooldown_ms)
  ON CONFLICT (deployment, event) DO UPDATE SET node = excluded.node, at = excluded.at, revision = excluded.revision,
    until = CASE WHEN known.event = 'overloaded' THEN greatest(known.until, excluded.until) ELSE excluded.until END`

export function deploymentReportMethods(client: PostgresClient): Store["deploymentReports"] {
  return {
    async report(node, reports) {
      await client.run(REPORT, [
        node,
        texts(reports.map(({ deployment }) => deployment)),
        texts(reports.map(({ event }) => event)),
        bigints(reports.map(({ cooldownMs }) => BigInt(Math.ceil(cooldownMs)))),
      ])
    },
    async after(revision) {
      const rows = await client.rows<ReportRow>(
        `SELECT deployment, event, node, tollgate_now() - at AS age, until - tollgate_now() AS cooldown_ms
         FROM deployment_reports WHERE revision > $1 AND greatest(at, until) > tollgate_now() - $2::bigint
         ORDER BY revision, deployment, event`,
        [BigInt(revision), BigInt(REPORT_LIFETIME_MS)],
      )
      return rows.map(({ age, cooldown_ms, ...row }): DatedReport => ({
        ...row,
        age: Math.max(0, Number(age)),
        cooldownMs: Math.max(0, Number(cooldown_ms)),
      }))
    },
  }
}
