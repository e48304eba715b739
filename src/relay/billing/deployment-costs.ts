import type { Usage } from "../../canon/usage.ts"
import type { Deployment } from "../../catalog/model.ts"
import { type Cost, costOf } from "../../ledger/price.ts"
import { withRequests } from "./priced-usage.ts"

/**
 * Returns the cost of the usage at the most expensive deployment; undefined if no deployment has a price.
 * @param calls the number of upstream calls with this usage in total.
 */
export function highestCost(
  usage: Usage,
  deployments: readonly Deployment[],
  calls = 1,
): Cost | undefined {
  let worst: Cost | undefined
  for (const { price } of deployments) {
    if (!price) continue
    const cost = costOf(withRequests({ usage, calls }, price), price)
    if (worst === undefined || cost.total > worst.total) worst = cost
  }
  return worst
}

/** Returns the cost of the usage at the cheapest deployment, in nanocredits. */
export function cheapestOf(usage: Usage, deployments: readonly Deployment[]): bigint {
  let min: bigint | undefined
  for (const { price } of deployments) {
    if (!price) continue
    const { total } = costOf(withRequests({ usage }, price), price)
    if (min === undefined || total < min) min = total
  }
  return min ?? 0n
}
