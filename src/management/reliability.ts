import { HOUR_MS } from "#contract/durations.ts"
import type { ErrorKind } from "../canon/errors.ts"
import type { Reliability, ReliabilityQuery, ReliabilityRow } from "#contract/usage.ts"
import type { UsageFilter, UsagePoint, UsageSum } from "../store/requests.ts"
import type { Reports, RequestReports } from "../store/reports.ts"
import { type Actor, scopeOf } from "./actor.ts"
import { ResponseTimes } from "./response-times.ts"
import { requireProviderVisibility } from "./cost-visibility.ts"

const HOURS = 24
/** Outcomes that are not the vendor's fault, because the request was invalid or the gateway failed. */
const NO_FAULT: readonly (ErrorKind | "expired" | "released")[] = [
  "rejected_by_upstream",
  "internal_error",
  "ledger_unavailable",
  "overloaded",
  "expired",
  "released",
]

type Counts = Pick<ReliabilityRow, "requests" | "failed">

/** Reports the reliability of models and providers. It is computed from stored requests, so it survives restarts. */
export class ReliabilityReports {
  readonly #reports: Reports

  constructor(reports: Reports) {
    this.#reports = reports
  }

  /**
   * Reports the last 24 hours of all accounts that the actor may see, sorted by the number of requests.
   * @throws GatewayError `forbidden` for providers if the actor does not see them.
   */
  async report(actor: Actor, { group }: ReliabilityQuery, now = Date.now()): Promise<Reliability> {
    requireProviderVisibility(actor, group === "provider" ? "group" : undefined)
    const to = (Math.floor(now / HOUR_MS) + 1) * HOUR_MS
    const filter = { accounts: scopeOf(actor, undefined), from: to - HOURS * HOUR_MS, to }
    const reports = await this.#reports.upToDate()
    const sums = await reports.sumUsage(filter, group)
    // Requests that were never sent have no provider.
    const names = sums.map((sum) => sum.group).filter((name) => name !== "")
    const [outcomes, sample] = await Promise.all([
      reports.sumUsage(filter, "outcome"),
      reports.sampleResponses(filter, group, names),
    ])
    const points = await this.#points(reports, filter, { group, names, outcomes })
    const times = new ResponseTimes(sample, names)
    const rows = names.map((name) => {
      const hours = hoursOf(points.get(name) ?? [], filter.from)
      return { ...rowOf(name, hours), times: times.ofGroup(name) }
    })
    return {
      object: "list",
      data: rows
        .filter(({ requests }) => requests > 0)
        .toSorted((left, right) => right.requests - left.requests),
      sampled: !sample.isComplete,
    }
  }

  /** Returns the hourly counts of each name, without outcomes that are not the vendor's fault. */
  async #points(
    reports: RequestReports,
    filter: UsageFilter,
    { group, names, outcomes }: PointParts,
  ): Promise<ReadonlyMap<string, Point[]>> {
    const series = { group, names, step: "hour" as const }
    const excused = NO_FAULT.filter((outcome) => outcomes.some((sum) => sum.group === outcome))
    const [all, ...others] = await Promise.all([
      reports.usageSeries(filter, series),
      ...excused.map((outcome) => reports.usageSeries({ ...filter, outcome }, series)),
    ])
    const counted = [...all.map((point) => countsOf(point, 1)), ...others.flat().map(taken)]
    return Map.groupBy(counted, ({ name }) => name)
  }
}

interface PointParts {
  readonly group: ReliabilityQuery["group"]
  readonly names: readonly string[]
  readonly outcomes: readonly UsageSum[]
}

interface Point extends Counts {
  readonly name: string
  readonly at: number
}

function taken(point: UsagePoint): Point {
  return countsOf(point, -1)
}

function countsOf({ group, at, requests, errors }: UsagePoint, sign: 1 | -1): Point {
  return { name: group, at, requests: sign * requests, failed: sign * errors }
}

function hoursOf(points: readonly Point[], from: number): ReliabilityRow["hours"] {
  return Array.from({ length: HOURS }, (_, index) => {
    const at = from + index * HOUR_MS
    const { requests, failed } = sumOf(points.filter((point) => point.at === at))
    return { at: new Date(at).toISOString(), requests, failed }
  })
}

function rowOf(group: string, hours: ReliabilityRow["hours"]): Omit<ReliabilityRow, "times"> {
  const since = failingSince(hours)
  const state = since === null ? "healthy" : "failing"
  return { group, state, failing_since: since, ...sumOf(hours), hours }
}

/**
 * Returns the start of the latest consecutive hours in which most requests failed. Hours without requests are skipped.
 * Returns null unless the last hour with requests is one of these hours.
 */
function failingSince(hours: ReliabilityRow["hours"]): string | null {
  const used = hours.filter(({ requests }) => requests > 0)
  const lastGood = used.findLastIndex(({ requests, failed }) => failed * 2 <= requests)
  return used[lastGood + 1]?.at ?? null
}

function sumOf(counts: readonly Counts[]): Counts {
  return {
    requests: counts.reduce((sum, { requests }) => sum + requests, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
  }
}
