import type { Labels } from "../../accounting/labels.ts"
import type { RequestSummary } from "../request-summary.ts"
import type { RequestRecord } from "../requests.ts"
import { numberOrNull, type SqlBoolean } from "./sql.ts"

/** The columns of a request that both engines have, without the row and the provider cost. */
export const REQUEST_COLUMNS =
  "request, account, key, endpoint, model, provider, price_group, status, outcome, stream, estimated, at, duration, first_byte, input, output, cost, written_off, labels"

/** A request of a list in the form in which both engines read it. */
export interface RequestRow {
  readonly row: bigint
  readonly request: string
  readonly account: string
  readonly key: string
  /** The name of the key; absent if the query does not read it. */
  readonly key_name?: string | null
  readonly endpoint: string
  readonly model: string
  readonly provider: string | null
  readonly price_group: string | null
  readonly status: RequestRecord["status"]
  readonly outcome: string
  readonly stream: SqlBoolean
  readonly estimated: SqlBoolean
  readonly at: bigint
  readonly duration: bigint | null
  readonly first_byte: bigint | null
  readonly input: bigint
  readonly output: bigint
  readonly cost: bigint
  readonly written_off: bigint
  readonly provider_cost: bigint
  /** Labels as JSON. */
  readonly labels: string | null
}

export interface SummaryRow extends RequestRow {
  readonly failed: SqlBoolean
}

export function requestFromRow(row: RequestRow): RequestRecord {
  return {
    row: Number(row.row),
    request: row.request,
    account: row.account,
    key: row.key,
    keyName: row.key_name ?? null,
    endpoint: row.endpoint,
    model: row.model,
    provider: row.provider,
    priceGroup: row.price_group,
    status: row.status,
    outcome: row.outcome,
    stream: Boolean(row.stream),
    estimated: Boolean(row.estimated),
    at: Number(row.at),
    duration: numberOrNull(row.duration),
    firstByte: numberOrNull(row.first_byte),
    input: Number(row.input),
    output: Number(row.output),
    cost: row.cost,
    writtenOff: row.written_off,
    providerCost: row.provider_cost,
    labels: row.labels === null ? {} : (JSON.parse(row.labels) as Labels),
  }
}

export function summaryFromRow(row: SummaryRow): RequestSummary {
  return { ...requestFromRow(row), failed: Boolean(row.failed) }
}
