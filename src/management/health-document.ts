import type { HealthReport } from "../routing/health.ts"
import type { Health } from "#contract/catalog.ts"

/** Converts the health of a deployment to its representation in the API. Only operators see the error. */
export function healthDocument(report: HealthReport, isOperator: boolean): Health {
  return {
    state: report.state,
    until:
      report.state === "cooling_down"
        ? new Date(Date.now() + report.cooldownMs).toISOString()
        : null,
    successes: report.successes,
    failures: report.failures,
    last_error: isOperator ? report.lastError : null,
  }
}

/** Combines the health of several deployments. The state is the best state of the deployments that were used. */
export function summedReport(reports: readonly HealthReport[]): HealthReport {
  const known = reports.filter(({ state }) => state !== "unknown")
  const state =
    BEST_FIRST.find((best) => known.some((report) => report.state === best)) ?? "unknown"
  const latest = known.toSorted((left, right) => right.failedAt - left.failedAt)[0]
  return {
    state,
    cooldownMs: Math.min(
      ...(state === "cooling_down" ? known.map(({ cooldownMs }) => cooldownMs) : [0]),
    ),
    successes: known.reduce((sum, { successes }) => sum + successes, 0),
    failures: known.reduce((sum, { failures }) => sum + failures, 0),
    lastError: latest?.lastError ?? null,
    failedAt: latest?.failedAt ?? 0,
    isFailing: state === "failing",
  }
}

const BEST_FIRST = ["healthy", "failing", "cooling_down"] as const
