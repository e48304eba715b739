import { MODEL_KIND_NAMES, MODEL_KINDS, type ModelKind } from "tollgate-contract/model-kinds.ts"

/** One tab for each kind of model, named after its operation. */
const TABS: readonly string[] = MODEL_KIND_NAMES.map(tabOfKind)

/** Returns the tab for a kind of model. */
export function tabOfKind(kind: ModelKind): string {
  return MODEL_KINDS[kind].operation
}

/** The query of the playground's address. */
export interface PlaygroundSearch {
  readonly tab?: string
  /** The initial model. */
  readonly model?: string
}

export function playgroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  const tab = TABS.find((name) => name === search["tab"])
  const model = search["model"]
  return {
    ...(tab !== undefined && { tab }),
    ...(typeof model === "string" && model.length <= 200 && { model }),
  }
}
