import type { Model } from "tollgate-contract/catalog.ts"
import type { Sorting } from "../../ui/sorting.ts"
import { effectivePrice, firstPrice, typicalCost, usualClasses } from "./prices.ts"

/** The value to compare; undefined sorts last in both orders. */
type SortValue = string | number | undefined

/** Sorts models. Equal models are sorted by name. */
export function sortModels(models: readonly Model[], { by, order }: Sorting): Model[] {
  const direction = order === "asc" ? 1 : -1
  return models
    .map((model) => ({ model, value: valueOf(model, by) }))
    .toSorted((left, right) => compare(left.value, right.value, direction))
    .map(({ model }) => model)
}

function valueOf(model: Model, by: string): SortValue {
  switch (by) {
    case "context":
      return model.context ?? undefined
    case "max_output":
      return model.max_output ?? undefined
    case "input":
      return roughPrice(firstPrice(model, ["input", ...usualClasses(model.kind)])?.[1])
    case "output":
      return roughPrice(effectivePrice(model, "output"))
    case "typical":
      return roughPrice(typicalCost(model))
    case "priced":
      return model.price_source?.date ?? undefined
    default:
      return model.id
  }
}

/** Converts a price to a float, for comparison only. */
function roughPrice(price: string | undefined): number | undefined {
  return price === undefined ? undefined : Number(price)
}

function compare(left: SortValue, right: SortValue, direction: number): number {
  if (left === right) return 0
  if (left === undefined) return 1
  if (right === undefined) return -1
  return (left < right ? -1 : 1) * direction
}
