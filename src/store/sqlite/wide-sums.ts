import { MAX_STORED_AMOUNT } from "../../accounting/maxima.ts"

// Sums of amounts may exceed 64 bits, for which SQLite's `sum()` fails. A stored sum is capped to the highest number of
// its column. Sums of rows are read in two columns, which contain the upper and the lower 32 bits.

const BITS = 32n
const LOWER = 2n ** BITS - 1n

/**
 * Adds to a sum in an upsert, as SQL. If a sum exceeds 64 bits, it becomes a floating-point number, which `min` and
 * `max` convert back.
 */
export function addition(column: string): string {
  const sum = `${column} + excluded.${column}`
  return `${column} = max(min(${sum}, ${MAX_STORED_AMOUNT}), ${-MAX_STORED_AMOUNT})`
}

/**
 * Returns SQL for the two columns of a sum.
 * @param amount the expression that is summed.
 */
export function wideSum(amount: string, name: string): string {
  const lower = `sum((${amount}) & ${LOWER})`
  return `sum((${amount}) >> ${BITS}) + (${lower} >> ${BITS}) AS ${name}_high, ${lower} & ${LOWER} AS ${name}_low`
}

/** Returns an order with the largest sums first, as SQL to follow `ORDER BY`. */
export function wideOrder(name: string): string {
  return `${name}_high DESC, ${name}_low DESC`
}

/** A row with the two columns of some sums. */
export type WideRow<Name extends string> = Readonly<Record<`${Name}_${"high" | "low"}`, bigint>>

/** Returns the sum from its two columns. */
export function wideSumOf<Name extends string>(row: WideRow<Name>, name: Name): bigint {
  return (row[`${name}_high`] << BITS) + row[`${name}_low`]
}
