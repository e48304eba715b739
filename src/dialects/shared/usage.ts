import type { JsonValue } from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"

/** A quantity that a vendor counted; 0 if absent. */
export function countOf(value: JsonValue | undefined): number {
  return quantityOf(value) ?? 0
}
