import type { Price } from "../ledger/price.ts"
import type { Deployment } from "./model.ts"

/** Assumed ratio of input to output tokens. Most requests have more input than output. */
const INPUT_SHARE = 3n

/** Sorts deployments by the cost of a typical request. Deployments without a price come last. */
export function cheapestFirst(deployments: readonly Deployment[]): readonly Deployment[] {
  return deployments.toSorted((left, right) => {
    if (left.price === undefined || right.price === undefined) {
      return Number(left.price === undefined) - Number(right.price === undefined)
    }
    const [one, other] = [typicalCost(left.price), typicalCost(right.price)]
    return one === other ? 0 : one < other ? -1 : 1
  })
}

/** Returns the cost of a typical request. Only useful for comparison. */
function typicalCost({ rates, multiplier }: Price): bigint {
  const { inputFresh = 0n, output = 0n } = rates
  const tokens = INPUT_SHARE * inputFresh + output
  const any = tokens > 0n ? tokens : Object.values(rates).reduce((sum, rate) => sum + rate, 0n)
  return any * multiplier
}
