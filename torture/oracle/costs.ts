import type { CallPlan, ReportedUsage, VendorCall } from "../calls.ts"
import { CONTEXT, MAX_OUTPUT, PRICE } from "../world.ts"

/**
 * Returns the cost of the usage in nanocredits. Prices are whole numbers of nanocredits per token, so nothing is
 * rounded.
 */
export function costOf({ input, output }: ReportedUsage): bigint {
  return BigInt(input) * PRICE.input + BigInt(output) * PRICE.output
}

/**
 * The maximum cost of one request in nanocredits, regardless of the usage that its vendor reports
 * (docs/contribute/decisions/0017-usage-bounds.md).
 */
export const WORST_COST = costOf({ input: CONTEXT, output: MAX_OUTPUT }) * 2n

/**
 * Returns the maximum cost of a partial response in nanocredits, which is the cost of the complete response by the
 * vendor's count. If the vendor has not counted the input, its estimate may be up to one token per character.
 */
export function mostOf(plan: CallPlan, vendorCalls: readonly VendorCall[]): bigint {
  if (!plan.model.isExact) return WORST_COST
  const counted = vendorCalls.flatMap(({ usage }) => (usage ? [usage] : []))
  const wholes = counted.map((usage) => costOf({ ...usage, input: characters(plan) }))
  const embedded =
    plan.endpoint === "embeddings" ? [costOf({ input: characters(plan), output: 0 })] : []
  return [...wholes, ...embedded].reduce((most, cost) => (cost > most ? cost : most), 0n)
}

/** Returns the number of characters in the sent text, including text that the vendor adds. */
function characters({ words, marker }: CallPlan): number {
  return words * " word".length + marker.length + 20
}
