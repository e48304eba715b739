import type {
  CallerReceipt,
  Receipt,
  RequestPage,
  RequestQuery,
  RequestSummary,
} from "#contract/receipts.ts"
import { GatewayError } from "../canon/errors.ts"
import { formatCredits } from "../ledger/money.ts"
import { customerReceipt } from "../relay/billing/customer-receipt.ts"
import { showReceipt, showWholeReceipt } from "../relay/billing/receipt.ts"
import type { FailureLog } from "../store/failure-log.ts"
import type { ContentRecord, PayloadLog } from "../store/payload-log.ts"
import {
  comparisonOf,
  type RequestFilter,
  type RequestOrder,
  type RequestRecord,
} from "../store/requests.ts"
import type { Reports, RequestReports } from "../store/reports.ts"
import type { ReceiptRecord } from "../store/settlements.ts"
import type { Store } from "../store/store.ts"
import { type Actor, maySee } from "./actor.ts"
import { pageFrom } from "./cursor.ts"
import { filterOf } from "./request-filter.ts"
import {
  cursorBehind,
  latest,
  type PagePlace,
  placeOf,
  positionAfter,
  reachOf,
} from "./request-pages.ts"
import { filtersOfSearch } from "./request-search.ts"
import { momentOrNull, momentText } from "./moment-text.ts"

/** Maximum number of requests that a search finds by their error messages per call. */
const MAX_ERRORS = 1_000

export interface RequestSources {
  readonly store: Store
  readonly reports: Reports
  readonly payloads: PayloadLog
  readonly failures: FailureLog
}

/** Reads requests and their receipts. */
export class Requests {
  readonly #store: Store
  readonly #reports: Reports
  readonly #payloads: PayloadLog
  readonly #failures: FailureLog

  constructor({ store, reports, payloads, failures }: RequestSources) {
    this.#store = store
    this.#reports = reports
    this.#payloads = payloads
    this.#failures = failures
  }

  /**
   * Lists requests of one account or of all visible accounts.
   * @throws GatewayError `not_found`.
   */
  async list(actor: Actor, query: RequestQuery): Promise<RequestPage> {
    const { sort, limit } = query
    const place = placeOf(query.cursor, sort)
    const reading = { sort, place, limit: limit + 1 }
    const { found, reach } = await this.read(actor, filterOf(actor, query), reading)
    const page = pageFrom(found, limit, (record) => positionAfter(record, sort, reach))
    // If a page of the newest requests is full, the search did not reach its limit, so no limit is reported.
    const end = sort === "newest" && page.next_cursor !== null ? null : reach
    return {
      ...page,
      next_cursor: page.next_cursor ?? cursorBehind(reach, sort),
      data: page.data.map((record) => summaryDocument(record, actor)),
      searched_from: momentOrNull(end),
    }
  }

  /** Reads the requests that follow a position, and reports the oldest time that was read. */
  async read(actor: Actor, filter: RequestFilter, reading: Reading): Promise<Read> {
    const { sort, place, limit } = reading
    const reports = await this.#reports.upToDate()
    const sources = { reports, failures: this.#failures }
    const range = {
      before: sort === "newest" ? place?.at : undefined,
      maxErrors: MAX_ERRORS,
    }
    const { filters, reach: ofErrors } = await filtersOfSearch(sources, actor, filter, range)
    const reach = latest(await reachOfAny(reports, filters, reading), ofErrors)
    const pages = await Promise.all(
      filters.map((each) =>
        reports.list({ ...each, from: reach ?? each.from }, place, limit, sort),
      ),
    )
    const unique = new Map(pages.flat().map((record) => [record.row, record]))
    return { found: [...unique.values()].toSorted(comparisonOf(sort)).slice(0, limit), reach }
  }

  /**
   * Returns a complete receipt.
   * @throws GatewayError `not_found`, also for receipts of other accounts.
   */
  async receipt(actor: Actor, id: string): Promise<Receipt> {
    const receipt = await this.#store.settlements.findReceipt(id)
    if (!receipt || !maySee(actor, receipt.account)) {
      throw new GatewayError(
        "not_found",
        "There is no such receipt. Its id is the 'x-request-id' of its response.",
      )
    }
    const content = await this.#payloads.find(id)
    const shown = actor.isOperator ? showWholeReceipt(receipt) : receiptFor(actor, receipt)
    return { ...shown, content: content && contentDocument(content) }
  }
}

interface Reading {
  readonly sort: RequestOrder
  readonly place: PagePlace | null
  readonly limit: number
}

interface Read {
  readonly found: readonly RequestRecord[]
  readonly reach: number | null
}

/** Returns the oldest time that all filters cover. */
async function reachOfAny(
  reports: RequestReports,
  filters: readonly RequestFilter[],
  reading: Reading,
): Promise<number | null> {
  const reaches = await Promise.all(filters.map((filter) => reachOf(reports, filter, reading)))
  return latest(...reaches)
}

function contentDocument({ asked, answered }: ContentRecord): Receipt["content"] {
  return { request: JSON.parse(asked), response: answered === null ? null : JSON.parse(answered) }
}

function receiptFor({ hidesCosts }: Actor, receipt: ReceiptRecord): CallerReceipt {
  const shown = showReceipt(receipt)
  return hidesCosts === true ? customerReceipt(shown) : shown
}

/** Converts a request to its representation in lists of the API. */
export function summaryDocument(record: RequestRecord, actor: Actor): RequestSummary {
  return {
    id: record.request,
    account: record.account,
    key: record.key,
    key_name: record.keyName,
    endpoint: record.endpoint,
    model: record.model,
    provider: actor.hidesCosts === true ? null : record.provider,
    ...record.labels,
    status: record.status,
    outcome: record.outcome,
    stream: record.stream,
    estimated: record.estimated,
    at: momentText(record.at),
    duration_ms: record.duration,
    first_byte_ms: record.firstByte,
    input: record.input,
    output: record.output,
    cost: formatCredits(record.cost),
    ...(actor.isOperator && { written_off: formatCredits(record.writtenOff) }),
  }
}
