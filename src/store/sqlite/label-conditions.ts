import type { Label } from "../../accounting/labels.ts"
import type { Conditions } from "./conditions.ts"

/** Returns the requests that have all of the given labels, as SQL to follow `FROM`; undefined without labels. */
export function labelledRequests(
  conditions: Conditions,
  labels: readonly Label[] = [],
): string | undefined {
  const [first, ...others] = labels
  if (first === undefined) return undefined
  conditions.add("label.name = ?", first.name)
  conditions.add("label.value = ?", first.value)
  for (const { name, value } of others) {
    conditions.always(
      `EXISTS (SELECT 1 FROM request_labels AS other WHERE other.name = ? AND other.value = ?
        AND other.request_at = label.request_at AND other.request_row = label.request_row)`,
    )
    conditions.values.push(name, value)
  }
  return "request_labels AS label CROSS JOIN requests ON requests.row = label.request_row"
}
