import type { Label, LabelName } from "../../accounting/labels.ts"
import type { Conditions } from "./conditions.ts"

/**
 * The requests that have all of some labels, as SQL after `FROM`; undefined where none are asked for.
 * @param group each request comes once with each of its labels of this name, as `label.value`.
 */
export function labelledRequests(
  conditions: Conditions,
  labels: readonly Label[] = [],
  group?: LabelName,
): string | undefined {
  const first = group === undefined ? labels[0] : { name: group, value: undefined }
  if (first === undefined) return undefined
  conditions.add("label.name = ?", first.name)
  conditions.add("label.value = ?", first.value)
  for (const { name, value } of group === undefined ? labels.slice(1) : labels) {
    conditions.always(
      `EXISTS (SELECT 1 FROM request_labels AS other WHERE other.name = ? AND other.value = ?
        AND other.request_at = label.request_at AND other.request_row = label.request_row)`,
    )
    conditions.values.push(name, value)
  }
  return "request_labels AS label CROSS JOIN requests ON requests.row = label.request_row"
}
