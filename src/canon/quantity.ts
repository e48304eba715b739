import { MAX_QUANTITY } from "../accounting/maxima.ts"
import type { JsonValue } from "./json.ts"

/** Matches a text that is only a number. */
const NUMERAL = /^\s*[+-]?\d+(\.\d+)?(e[+-]?\d+)?\s*$/i

/**
 * Reads a number that a vendor counted, written as a number or as text; undefined for other values.
 * A negative number counts as 0, and the maximum is `MAX_QUANTITY`.
 */
export function measureOf(value: JsonValue | undefined): number | undefined {
  const isText = typeof value === "string" && NUMERAL.test(value)
  const reported = isText || typeof value === "bigint" ? Number(value) : value
  if (typeof reported !== "number" || Number.isNaN(reported)) return undefined
  return Math.min(MAX_QUANTITY, Math.max(0, reported))
}

/** Reads a number of whole units, rounded up. */
export function quantityOf(value: JsonValue | undefined): number | undefined {
  const reported = measureOf(value)
  return reported === undefined ? undefined : Math.ceil(reported)
}

const MAX_WAIT_SECONDS = 3_600

/**
 * Returns the number of whole seconds that a vendor asks to wait, 1 to 3,600; undefined if the vendor sends no number.
 */
export function waitSecondsOf(seconds: number | undefined): number | undefined {
  if (seconds === undefined || Number.isNaN(seconds)) return undefined
  return Math.min(MAX_WAIT_SECONDS, Math.max(1, Math.ceil(seconds)))
}

/**
 * Returns the choice that an event or part belongs to: the vendor's index, or the position if that index is invalid.
 */
export function choiceNumber(index: JsonValue | undefined, position: number): number {
  return typeof index === "number" && Number.isSafeInteger(index) && index >= 0 ? index : position
}
