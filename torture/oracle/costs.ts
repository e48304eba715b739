import type { CallPlan, ReportedUsage, VendorCall } from "../calls.ts"
import { CONTEXT, MAX_OUTPUT, PRICE } from "../world.ts"

/** Returns the cost of a usage, nanocredits: whole numbers per token, so nothing is rounded. */
export function costOf({ input, output }: ReportedUsage): bigint {
  return BigInt(input) * PRICE.input + BigInt(output) * PRICE.output
}

/** The maximum cost of one request, regardless of its vendor's report: docs/contribute/decisions/0017-usage-bounds.md. */
export const WORST_COST = costOf({ input: CONTEXT, output: MAX_OUTPUT }) * 2n

/**
 * Returns the maximum cost of a partial answer: the vendor's count of the whole one. An estimate of input that the
 * vendor has not counted may be up to one token per character.
 */
export function mostOf(plan: CallPlan, vendorCalls: readonly VendorCall[]): bigint {
  if (!plan.model.isExact) return WORST_COST
  const counted = vendorCalls.flatMap(({ usage }) => (usage ? [usage] : []))
  const wholes = counted.map((usage) => costOf({ ...usage, input: characters(plan) }))
  const embedded =
    plan.endpoint === "embeddings" ? [costOf({ input: characters(plan), output: 0 })] : []
  return [...wholes, ...embedded].reduce((most, cost) => (cost > most ? cost : most), 0n)
}

/** Returns the characters of the sent text, and of the vendor's additions. */
function characters({ words, marker }: CallPlan): number {
  return words * " word".length + marker.length + 20
}
