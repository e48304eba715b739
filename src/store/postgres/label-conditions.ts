import type { Label } from "../../accounting/labels.ts"
import type { Conditions } from "./conditions.ts"

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
