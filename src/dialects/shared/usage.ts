import type { JsonValue } from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"

/** A quantity that a vendor counted; none is 0. */
export function countOf(value: JsonValue | undefined): number {
  return quantityOf(value) ?? 0
}
