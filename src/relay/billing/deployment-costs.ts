import type { Usage } from "../../canon/usage.ts"
import type { Deployment } from "../../catalog/model.ts"
import { type Cost, costOf } from "../../ledger/price.ts"
import { withRequests } from "./priced-usage.ts"

/** What a usage costs at the dearest deployment; undefined where none has a price. */
export function dearestOf(usage: Usage, deployments: readonly Deployment[]): Cost | undefined {
  let worst: Cost | undefined
  for (const { price } of deployments) {
    if (!price) continue
    const cost = costOf(withRequests({ usage }, price), price)
    if (worst === undefined || cost.total > worst.total) worst = cost
  }
  return worst
}

/** Nanocredits: what a usage costs at the cheapest deployment. */
export function cheapestOf(usage: Usage, deployments: readonly Deployment[]): bigint {
  let min: bigint | undefined
  for (const { price } of deployments) {
    if (!price) continue
    const { total } = costOf(withRequests({ usage }, price), price)
    if (min === undefined || total < min) min = total
  }
  return min ?? 0n
}
