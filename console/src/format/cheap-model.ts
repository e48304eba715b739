import type { Model } from "tollgate-contract/catalog.ts"

/** Of models, the one to try first: what costs least, and something rather than nothing, since free ones are often busy. */
export function cheapestModel(models: readonly Model[]): Model | undefined {
  const paid = models.filter((model) => costOf(model) > 0)
  return (paid.length > 0 ? paid : models).toSorted(
    (left, right) => costOf(left) - costOf(right),
  )[0]
}

/** To compare only: what a million units of its classes together cost, rounded. */
function costOf({ price, multiplier }: Model): number {
  const amounts = ["input", "output"].map((name) => Number(price?.[name] ?? 0))
  const sum = amounts.reduce((total, amount) => total + amount, 0)
  const any = sum > 0 ? sum : Math.max(0, ...Object.values(price ?? {}).map(Number))
  return any * Number(multiplier)
}
