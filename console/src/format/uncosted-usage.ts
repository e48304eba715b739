import type { Receipt } from "tollgate-contract/receipts.ts"

/** Returns the counted usage that the computation of the charge does not show. */
export function uncostedUsage({
  usage,
  arithmetic,
}: Pick<Receipt, "usage" | "arithmetic">): readonly (readonly [string, number])[] {
  const costed = new Map(arithmetic?.map((line) => [line.class, line.quantity]))
  return Object.entries(usage ?? {}).filter(([name, quantity]) => costed.get(name) !== quantity)
}
