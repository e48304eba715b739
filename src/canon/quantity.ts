import type { JsonValue } from "./json.ts"

/** A number as JSON writes it, in a text. */
const NUMERAL = /^\s*[+-]?\d+(\.\d+)?(e[+-]?\d+)?\s*$/i

/**
 * A number that a vendor counted, whether it wrote it as a number or as a text; undefined when it is
 * neither. What is less than nothing is nothing, and nothing is more than can be added up exactly.
 */
export function measureOf(value: JsonValue | undefined): number | undefined {
  const reported = typeof value === "string" && NUMERAL.test(value) ? Number(value) : value
  if (typeof reported !== "number" || Number.isNaN(reported)) return undefined
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, reported))
}

/** The same in whole units: a part of one counts as one. */
export function quantityOf(value: JsonValue | undefined): number | undefined {
  const reported = measureOf(value)
  return reported === undefined ? undefined : Math.ceil(reported)
}

/** Which choice of an answer something belongs to: as the vendor numbers it, or by where it stands when that is no place in a list. */
export function choiceNumber(index: JsonValue | undefined, position: number): number {
  return typeof index === "number" && Number.isSafeInteger(index) && index >= 0 ? index : position
}
