import type { Page } from "tollgate-contract/common.ts"
import type { Receipt, RequestQuery, RequestSummary } from "tollgate-contract/receipts.ts"
import { GatewayError } from "../canon/errors.ts"
import { formatCredits } from "../ledger/money.ts"
import { showReceipt } from "../relay/billing/receipt.ts"
import type { ContentRecord, PayloadLog } from "../store/payload-log.ts"
import type { RequestPlace, RequestRecord } from "../store/requests.ts"
import type { Reports } from "../store/reports.ts"
import type { Store } from "../store/store.ts"
import { type Actor, maySee } from "./actor.ts"
import { pageFrom, positionOf } from "./cursor.ts"
import { scopeOf } from "./scope.ts"
import { labelsOf } from "./usage.ts"

/** The requests that were made, and their receipts. */
export class Requests {
  readonly #store: Store
  readonly #reports: Reports
  readonly #payloads: PayloadLog

  constructor(store: Store, reports: Reports, payloads: PayloadLog) {
    this.#store = store
    this.#reports = reports
    this.#payloads = payloads
  }

  /** Of one account, or of all that they may see; the newest first. @throws GatewayError `not_found`. */
  async list(actor: Actor, query: RequestQuery): Promise<Page<RequestSummary>> {
    const filter = {
      accounts: scopeOf(actor, query.account),
      key: query.key,
      model: query.model,
      provider: query.provider,
      endpoint: query.endpoint,
      labels: labelsOf(query),
      failed: FAILED[query.status ?? "any"],
      writtenOff: query.status === "written_off" ? (true as const) : undefined,
      search: query.search,
      from: query.from === undefined ? undefined : Date.parse(query.from),
      to: query.to === undefined ? undefined : Date.parse(query.to),
    }
    const place = placeOf(query.cursor)
    const reports = await this.#reports.upToDate()
    const found = await reports.list(filter, place, query.limit + 1)
    const page = pageFrom(found, query.limit, ({ at, row }) => [at, row])
    return { ...page, data: page.data.map((record) => summaryDocument(record, actor)) }
  }

  /** One complete receipt. @throws GatewayError `not_found`, also for those of other accounts. */
  async receipt(actor: Actor, id: string): Promise<Receipt> {
    const receipt = await this.#store.settlements.findReceipt(id)
    if (!receipt || !maySee(actor, receipt.account)) {
      throw new GatewayError(
        "not_found",
        "There is no such receipt. Its id is the 'x-request-id' of the answer it belongs to.",
      )
    }
    const content = await this.#payloads.find(id)
    return { ...showReceipt(receipt), content: content && contentDocument(content) }
  }
}

/** Whether requests of a status have failed; undefined where that does not matter. */
const FAILED = { any: undefined, written_off: undefined, ok: false, failed: true } as const

function placeOf(cursor: string | undefined): RequestPlace | null {
  const position = positionOf(cursor)
  return position ? { at: wholeOf(position[0]), row: wholeOf(position[1]) } : null
}

function wholeOf(value: unknown): number {
  return Number.isSafeInteger(value) ? Number(value) : 0
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
