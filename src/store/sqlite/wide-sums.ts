import { MAX_STORED_AMOUNT } from "../../accounting/maxima.ts"

// Sums of amounts may exceed 64 bits, and SQLite's `sum()` fails then. A stored sum is capped at the largest number of
// its column; sums of rows are read in two columns, the upper and the lower 32 bits.

const BITS = 32n
const LOWER = 2n ** BITS - 1n

/** Adds to a sum in an upsert, as SQL. A sum that exceeds 64 bits becomes a float, which `min` and `max` undo. */
export function addition(column: string): string {
  const sum = `${column} + excluded.${column}`
  return `${column} = max(min(${sum}, ${MAX_STORED_AMOUNT}), ${-MAX_STORED_AMOUNT})`
}

/**
 * Returns the two columns of a sum, as SQL.
 * @param amount the expression to sum.
 */
export function wideSum(amount: string, name: string): string {
  const lower = `sum((${amount}) & ${LOWER})`
  return `sum((${amount}) >> ${BITS}) + (${lower} >> ${BITS}) AS ${name}_high, ${lower} & ${LOWER} AS ${name}_low`
}

/** Returns an order by the largest sums first, as SQL after `ORDER BY`. */
export function wideOrder(name: string): string {
  return `${name}_high DESC, ${name}_low DESC`
}

/** A row with the two columns of some sums. */
export type WideRow<Name extends string> = Readonly<Record<`${Name}_${"high" | "low"}`, bigint>>

/** Returns the sum that two columns represent. */
export function wideSumOf<Name extends string>(row: WideRow<Name>, name: Name): bigint {
  return (row[`${name}_high`] << BITS) + row[`${name}_low`]
}
