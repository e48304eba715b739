import type { JsonValue } from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"

/** A quantity that a vendor counted; 0 if absent. */
export function countOf(value: JsonValue | undefined): number {
  return quantityOf(value) ?? 0
}

/** Whether a value is a quantity as it is counted: a whole number, at least 0. */
export function isCount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0
}
