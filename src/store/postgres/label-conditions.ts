import type { Label, LabelName } from "../../accounting/labels.ts"
import type { Conditions } from "./conditions.ts"

/** As labels name the time of their requests, in whose order they lie. */
export const LABELLED_AT = "label_at"

/**
 * The receipts that have all of some labels, as SQL after `FROM`; undefined where none are asked for.
 * @param group each comes once with each of its labels of this name, as `label_value`.
 */
export function labelledReceipts(
  conditions: Conditions,
  labels: readonly Label[] = [],
  group?: LabelName,
): string | undefined {
  const first = group === undefined ? labels[0] : { name: group, value: undefined }
  if (first === undefined) return undefined
  conditions.add("label_name = ?", first.name)
  conditions.add("label_value = ?", first.value)
  for (const { name, value } of group === undefined ? labels.slice(1) : labels) {
    conditions.always(
      `EXISTS (SELECT FROM request_labels AS other WHERE other.name = ${conditions.place(name)}
        AND other.value = ${conditions.place(value)} AND other.at = label_at AND other.request = label_request)`,
    )
  }
  return `(SELECT name AS label_name, value AS label_value, at AS label_at, request AS label_request FROM request_labels)
    AS label JOIN receipts ON request = label_request`
}
