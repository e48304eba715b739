import type { CallPlan, ReportedUsage, VendorCall } from "../calls.ts"
import { CONTEXT, MAX_OUTPUT, PRICE } from "../world.ts"

/** What a usage costs, nanocredits: whole numbers per token, so nothing is rounded. */
export function costOf({ input, output }: ReportedUsage): bigint {
  return BigInt(input) * PRICE.input + BigInt(output) * PRICE.output
}

/** The most that one request can cost, whatever its vendor reports: docs/decisions/0017-usage-bounds.md. */
export const WORST_COST = costOf({ input: CONTEXT, output: MAX_OUTPUT }) * 2n

/**
 * The most that a part of an answer can cost: what the vendor counted for the whole of it. An estimate of input that
 * the vendor has not counted may be up to one token per character.
 */
export function mostOf(plan: CallPlan, vendorCalls: readonly VendorCall[]): bigint {
  if (!plan.model.isExact) return WORST_COST
  const counted = vendorCalls.flatMap(({ usage }) => (usage ? [usage] : []))
  const wholes = counted.map((usage) => costOf({ ...usage, input: characters(plan) }))
  const embedded =
    plan.endpoint === "embeddings" ? [costOf({ input: characters(plan), output: 0 })] : []
  return [...wholes, ...embedded].reduce((most, cost) => (cost > most ? cost : most), 0n)
}

/** Characters of the text that was sent, and of what a vendor puts around it. */
function characters({ words, marker }: CallPlan): number {
  return words * " word".length + marker.length + 20
}
