import type { Receipt, RequestPage, RequestQuery, RequestSummary } from "#contract/receipts.ts"
import { GatewayError } from "../canon/errors.ts"
import { formatCredits } from "../ledger/money.ts"
import { showReceipt, showWholeReceipt } from "../relay/billing/receipt.ts"
import type { ContentRecord, PayloadLog } from "../store/payload-log.ts"
import type { RequestRecord } from "../store/requests.ts"
import type { Reports } from "../store/reports.ts"
import type { Store } from "../store/store.ts"
import { type Actor, maySee } from "./actor.ts"
import { pageFrom } from "./cursor.ts"
import { filterOf } from "./request-filter.ts"
import { cursorBehind, placeOf, positionAfter, reachOf } from "./request-pages.ts"

/** Reads requests and their receipts. */
export class Requests {
  readonly #store: Store
  readonly #reports: Reports
  readonly #payloads: PayloadLog

  constructor(store: Store, reports: Reports, payloads: PayloadLog) {
    this.#store = store
    this.#reports = reports
    this.#payloads = payloads
  }

  /**
   * Lists requests of one account or of all visible accounts.
   * @throws GatewayError `not_found`.
   */
  async list(actor: Actor, query: RequestQuery): Promise<RequestPage> {
    const { sort, limit } = query
    const place = placeOf(query.cursor, sort)
    const filter = filterOf(actor, query)
    const reports = await this.#reports.upToDate()
    const reach = await reachOf(reports, filter, { sort, place })
    const found = await reports.list(
      { ...filter, from: reach ?? filter.from },
      place,
      limit + 1,
      sort,
    )
    const page = pageFrom(found, limit, (record) => positionAfter(record, sort, reach))
    // A full page of the newest requests ends before the covered range does.
    const end = sort === "newest" && page.next_cursor !== null ? null : reach
    return {
      ...page,
      next_cursor: page.next_cursor ?? cursorBehind(reach, sort),
      data: page.data.map((record) => summaryDocument(record, actor)),
      looked_back_to: end === null ? null : new Date(end).toISOString(),
    }
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
    const shown = actor.isOperator ? showWholeReceipt(receipt) : showReceipt(receipt)
    return { ...shown, content: content && contentDocument(content) }
  }
}

function contentDocument({ asked, answered }: ContentRecord): Receipt["content"] {
  return { request: JSON.parse(asked), answer: answered === null ? null : JSON.parse(answered) }
}

function summaryDocument(record: RequestRecord, actor: Actor): RequestSummary {
  return {
    id: record.request,
    account: record.account,
    key: record.key,
    key_name: record.keyName,
    endpoint: record.endpoint,
    model: record.model,
    provider: record.provider,
    ...record.labels,
    status: record.status,
    outcome: record.outcome,
    stream: record.stream,
    estimated: record.estimated,
    at: new Date(record.at).toISOString(),
    duration_ms: record.duration,
    first_byte_ms: record.firstByte,
    input: record.input,
    output: record.output,
    cost: formatCredits(record.cost),
    ...(actor.isOperator && { written_off: formatCredits(record.writtenOff) }),
  }
}
