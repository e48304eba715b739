import type { Model } from "tollgate-contract/catalog.ts"

/** The model to begin with: the wished one if it fits, else the first with a price, in the order of the kinds. */
export function firstModel(
  models: readonly Model[],
  kinds: readonly Model["kind"][],
  options: string | undefined,
): string | null {
  const fitting = kinds.flatMap((kind) =>
    models.filter((model) => model.kind === kind && model.price !== null),
  )
  return (fitting.find(({ id }) => id === options) ?? fitting[0])?.id ?? null
}
