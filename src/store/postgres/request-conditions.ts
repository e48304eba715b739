import { AFTER_IDS, ID_PREFIX, isFailure, isGlob, isOnlyInTroubled } from "../request-search.ts"
import { UNINDEXED_NAMES } from "../request-names.ts"
import type { RequestFilter } from "../requests.ts"
import { starPattern } from "../text-filters.ts"
import { texts } from "./arrays.ts"
import type { Statements } from "./client.ts"
import type { Conditions } from "./conditions.ts"
import type { Label } from "../../accounting/labels.ts"

/** Whether a search text is the complete id of a request. */
export async function isRequest(
  statements: Statements,
  search: string | undefined,
): Promise<boolean> {
  if (search === undefined) return false
  const row = await statements.row("SELECT 1 FROM receipts WHERE request = $1", [search])
  return row !== null
}

/** Adds the conditions of a filter, except those on accounts, which determine how the rows are read. */
export function narrow(conditions: Conditions, filter: RequestFilter, isOne: boolean): void {
  const { search } = filter
  addNames(conditions, filter)
  if ((filter.labels ?? []).length > 0) conditions.among("request", filter.requests)
  addLabelPrefix(conditions, filter.labelPrefix)
  if (filter.failed !== undefined) conditions.always(filter.failed ? "failed" : "NOT failed")
  if (isFailure(search)) conditions.always("failed")
  else if (isOnlyInTroubled(search)) conditions.always("(failed OR written_off > 0)")
  if (filter.writtenOff) conditions.always("written_off > 0")
  if (isOne) conditions.add("request = ?", search)
  else if (search?.startsWith(ID_PREFIX)) {
    // A range of ids is sufficient, because no outcome contains the prefix, and ids only contain it at their start.
    conditions.add("request >= ?", search)
    conditions.add("starts_with(request, ?)", search)
    conditions.add("request < ?", `${search}${AFTER_IDS}`)
  } else conditions.add("(strpos(outcome, ?) > 0 OR strpos(request, ?) > 0)", search)
  conditions.add("cost >= ?", filter.minimumCost)
  conditions.add("cost <= ?", filter.maximumCost)
  conditions.add("duration >= ?", filter.minimumDuration)
  conditions.add("duration <= ?", filter.maximumDuration)
  conditions.add("at >= ?", filter.from)
  conditions.add("at < ?", filter.to)
}

/**
 * Returns the receipts of a filter's requests, as SQL to follow `FROM`; undefined if the filter has no ids, or if
 * labels select the receipts. Each receipt takes one index lookup: `OFFSET` prevents a scan of all receipts in
 * chronological order.
 */
export function receiptsByIds(
  conditions: Conditions,
  { requests, labels = [] }: RequestFilter,
): string | undefined {
  if (requests === undefined || labels.length > 0) return undefined
  const ids = conditions.place(texts([...new Set(requests)]))
  return `unnest(${ids}::text[]) AS wanted (id)
    CROSS JOIN LATERAL (SELECT * FROM receipts WHERE request = wanted.id OFFSET 0) AS receipts`
}

/** Adds the conditions for names, which hourly sums have as well. */
export function addNames(conditions: Conditions, filter: RequestFilter): void {
  conditions.add("key = ?", filter.key)
  conditions.among("key", filter.keys)
  addModel(conditions, filter.model)
  conditions.among("model", filter.models)
  for (const name of UNINDEXED_NAMES) conditions.add(`${name} = ?`, filter[name])
}

function addLabelPrefix(conditions: Conditions, prefix: string | undefined): void {
  if (prefix === undefined) return
  const text = conditions.place(prefix)
  // The labels of a receipt are read from the receipt, because many other requests may have such labels.
  conditions.always("labels IS NOT NULL")
  conditions.always(
    `(starts_with(labels::json ->> 'user', ${text}) OR starts_with(labels::json ->> 'session', ${text})
      OR EXISTS (SELECT FROM json_each_text(labels::json -> 'tags') AS tag
        WHERE starts_with(tag.key || '=' || tag.value, ${text})))`,
  )
}

function addModel(conditions: Conditions, model: string | undefined): void {
  if (isGlob(model)) conditions.add("model LIKE ?", starPattern(model))
  else conditions.add("model = ?", model)
}

/**
 * Selects receipts in chronological order, as SQL. The index sorts the receipts of one account, but not the receipts of
 * several. For several accounts, a page is read for each and the pages are merged.
 * @param accounts all accounts if absent.
 * @param query `end` contains the order and the limit.
 */
export function ofAccounts(
  conditions: Conditions,
  accounts: readonly string[] | undefined,
  { columns, end }: { readonly columns: string; readonly end: string },
): string {
  if (accounts === undefined || accounts.length === 1) {
    conditions.among("account", accounts)
    return `SELECT ${columns} FROM receipts ${conditions.where} ${end}`
  }
  conditions.always("account = a.owner")
  const owners = conditions.place(texts([...new Set(accounts)]))
  return `SELECT ${columns} FROM unnest(${owners}::text[]) AS a (owner)
    CROSS JOIN LATERAL (SELECT ${columns} FROM receipts ${conditions.where} ${end}) AS r ${end}`
}

/** The time of the request in `request_labels`, which sorts the rows. */
export const LABELLED_AT = "label_at"

/** Returns the receipts that have all of the given labels, as SQL to follow `FROM`; undefined without labels. */
export function labelledReceipts(
  conditions: Conditions,
  labels: readonly Label[] = [],
): string | undefined {
  if (labels.length === 0) return undefined
  return `${labelRows(conditions, labels)} JOIN receipts ON request = label_request`
}

/**
 * Returns one row for each request that has all of the given labels, as SQL to follow `FROM`. The rows have the columns
 * `label_request` and `label_at`.
 */
export function labelRows(conditions: Conditions, labels: readonly Label[] = []): string {
  const [first, ...others] = labels
  if (first === undefined) throw new TypeError("a label is missing")
  conditions.add("label_name = ?", first.name)
  conditions.add("label_value = ?", first.value)
  for (const { name, value } of others) {
    conditions.always(
      `EXISTS (SELECT FROM request_labels AS other WHERE other.name = ${conditions.place(name)}
        AND other.value = ${conditions.place(value)} AND other.at = label_at AND other.request = label_request)`,
    )
  }
  return `(SELECT name AS label_name, value AS label_value, at AS label_at, request AS label_request FROM request_labels)
    AS label`
}
