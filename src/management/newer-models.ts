import type { NewerModel } from "#contract/catalog.ts"
import type { Catalog } from "../catalog/catalog.ts"
import type { Model } from "../catalog/model.ts"
import type { FailedRequest, FailureFilter } from "../store/failure-log.ts"
import { priceDocument } from "./price-document.ts"

/** Maximum rejected requests that are read, starting with the newest. */
export const MAX_READ_REQUESTS = 1_000
/** Matches requests for models that do not exist. */
export const UNKNOWN_MODEL: FailureFilter = { kind: "model_not_found" }

/**
 * Returns requested models that are newer than the price list, with the prices of their families, sorted by the number
 * of requests. The list is empty if the settings define `unknown_models`.
 * @param failed the rejected requests, newest first.
 */
export function newerModels(catalog: Catalog, failed: readonly FailedRequest[]): NewerModel[] {
  const offers = new Map<string, Model | undefined>()
  const found = new Map<string, { model: Model; requests: number; lastAt: number }>()
  for (const { model: name, at } of failed) {
    if (name === null) continue
    if (!offers.has(name)) offers.set(name, catalog.offer(name))
    const model = offers.get(name)
    if (model === undefined) continue
    const known = found.get(model.id)
    if (known === undefined) found.set(model.id, { model, requests: 1, lastAt: at })
    else known.requests++
  }
  return [...found.values()]
    .toSorted((left, right) => right.requests - left.requests)
    .map(({ model, requests, lastAt }) => ({
      id: model.id,
      kind: model.kind,
      requests,
      last_at: new Date(lastAt).toISOString(),
      price: priceDocument(model).price ?? {},
    }))
}
