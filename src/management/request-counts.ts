import type { RequestCount, RequestCountQuery, RequestCounts } from "#contract/usage.ts"
import { GatewayError } from "../canon/errors.ts"
import type { FailureLog } from "../store/failure-log.ts"
import type { Reports, RequestReports } from "../store/reports.ts"
import { isGlob } from "../store/request-search.ts"
import type { RequestFilter, RequestCount as StoredCount } from "../store/requests.ts"
import type { Actor } from "./actor.ts"
import { KINDS_OF_VENDORS } from "./failure-kinds.ts"
import { filterOf, isSupportedByRejections } from "./request-filter.ts"
import { isReadWhole, latest, reachOfReading } from "./request-pages.ts"
import { filtersOfSearch, searchInFailures } from "./request-search.ts"
import { momentOrNull, momentText } from "./moment-text.ts"

const STEPS = { minute: 60_000, hour: 3_600_000, day: 24 * 3_600_000 } as const
/** Maximum intervals in one response. */
const MAX_INTERVALS = 2_000
/** Maximum number of requests that match a search. */
const MAX_MATCHES = 10_000
/** Maximum number of requests that are found by their error messages. Each is looked up by its id. */
const MAX_ERRORS = 2_000

interface Counted {
  readonly counts: readonly StoredCount[]
  readonly reach: number | null
}

const NONE: Counted = { counts: [], reach: null }
const NO_REJECTIONS = { counts: [], reach: null }

/** Counts requests over time. */
export class RequestCountReports {
  readonly #reports: Reports
  readonly #failures: FailureLog

  constructor(reports: Reports, failures: FailureLog) {
    this.#reports = reports
    this.#failures = failures
  }

  /**
   * Returns the counts.
   * @throws GatewayError `not_found`, and `invalid_value` for more than 2,000 intervals.
   */
  async report(actor: Actor, query: RequestCountQuery): Promise<RequestCounts> {
    const { status, ...rest } = query
    const isRejected = status === "rejected"
    const filter = filterOf(actor, isRejected ? rest : { ...rest, status })
    const [from, to, step] = [Date.parse(query.from), Date.parse(query.to), STEPS[query.step]]
    if ((to - from) / step > MAX_INTERVALS) {
      throw new GatewayError(
        "invalid_value",
        `'from' and 'to' are more than ${MAX_INTERVALS} steps apart: choose a longer 'step'.`,
        { parameter: "step" },
      )
    }
    const span = { ...filter, from, to }
    const reports = await this.#reports.upToDate()
    const [{ counts, reach: ofAdmitted }, { counts: rejected, reach: ofRejected }] =
      await Promise.all([
        isRejected ? NONE : this.#count(actor, reports, span, step),
        isRejected || (status === undefined && isSupportedByRejections(filter))
          ? this.#rejected(actor, reports, span, step)
          : NO_REJECTIONS,
      ])
    const reach = latest(ofAdmitted, ofRejected)
    return {
      object: "list",
      data: merged(counts, rejected),
      searched_from: momentOrNull(reach),
    }
  }

  async #count(actor: Actor, reports: RequestReports, span: Span, step: number): Promise<Counted> {
    if (span.search === undefined) return countsOf(reports, span, step)
    const sources = { reports, failures: this.#failures }
    const range = { before: undefined, maxErrors: MAX_ERRORS }
    const { filters, reach: ofErrors } = await filtersOfSearch(sources, actor, span, range)
    const read = filters.find(isReadWhole)
    const oldest = latest(
      ofErrors,
      read !== undefined
        ? await reachOfReading(reports, {
            ...span,
            labelPrefix: read.labelPrefix,
            search: undefined,
          })
        : await reports.reachOfMatches(filters, MAX_MATCHES),
    )
    const reach = oldest === null ? null : fullHour(oldest, span.to)
    const within = filters.map((filter) => ({
      ...filter,
      from: latest(reach, span.from) ?? span.from,
    }))
    return { counts: await reports.count(within, step), reach }
  }

  async #rejected(actor: Actor, reports: RequestReports, span: Span, step: number) {
    const sources = { reports, failures: this.#failures }
    const wanted = { ...span, without: KINDS_OF_VENDORS }
    const { filter, reach } = await searchInFailures(sources, actor, wanted, null)
    return { counts: await this.#failures.count(filter, step), reach }
  }
}

interface Span extends RequestFilter {
  readonly from: number
  readonly to: number
}

/** Rounds the start of a long time range up to a full hour, so that hourly sums can count the requests. */
function fullHour(from: number, to: number): number {
  return to - from > STEPS.day ? Math.ceil(from / STEPS.hour) * STEPS.hour : from
}

/** Counts requests by their hourly and daily sums if these support the filter. Otherwise each request is read. */
async function countsOf(reports: RequestReports, span: Span, step: number): Promise<Counted> {
  if (!isSummed(span, step)) {
    const reach = await reachOfReading(reports, span)
    return { counts: await reports.count([{ ...span, from: reach ?? span.from }], step), reach }
  }
  const points = await reports.usageSeries(span, {
    group: "all",
    names: [],
    step: step === STEPS.day ? "day" : "hour",
  })
  const { failed } = span
  const counts = points.map(({ at, requests, errors }) => ({
    at,
    answered: failed === true ? 0 : requests - errors,
    failed: failed === false ? 0 : errors,
  }))
  return { counts, reach: null }
}

function isSummed(span: Span, step: number): boolean {
  const { model, search, labels = [], writtenOff } = span
  const isOfNames = search === undefined && writtenOff === undefined && labels.length === 0
  const isWhole = span.from % STEPS.hour === 0 && span.to % STEPS.hour === 0
  return isOfNames && isWhole && step !== STEPS.minute && !isGlob(model) && !isReadWhole(span)
}

function merged(
  counts: readonly StoredCount[],
  rejections: readonly { readonly at: number; readonly count: number }[],
): RequestCount[] {
  const rejected = new Map(rejections.map(({ at, count }) => [at, count]))
  const known = new Map(counts.map((count) => [count.at, count]))
  return [...new Set([...known.keys(), ...rejected.keys()])]
    .toSorted((left, right) => left - right)
    .map((at) => ({
      at: momentText(at),
      answered: known.get(at)?.answered ?? 0,
      failed: known.get(at)?.failed ?? 0,
      rejected: rejected.get(at) ?? 0,
    }))
}
