import type { Model } from "tollgate-contract/catalog.ts"
import { modelToTry } from "../../format/model-to-try.ts"

/**
 * Returns the initial model: the requested model if it fits, otherwise a cheap model of the first kind that has a
 * priced model.
 */
export function firstModel(
  models: readonly Model[],
  kinds: readonly Model["kind"][],
  wanted: string | undefined,
): string | null {
  const byKind = kinds.map((kind) =>
    models.filter((model) => model.kind === kind && model.price !== null),
  )
  const requested = byKind.flat().find(({ id }) => id === wanted)
  const first = byKind.find((fitting) => fitting.length > 0) ?? []
  return (requested ?? modelToTry(first))?.id ?? null
}
