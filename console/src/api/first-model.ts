import { useQuery } from "@tanstack/react-query"
import { useCallback } from "react"
import type { Model } from "tollgate-contract/catalog.ts"
import { globMatcher } from "tollgate-contract/model-glob.ts"
import { familyModels } from "tollgate-contract/tool-models.ts"
import type { Tool } from "tollgate-contract/tools.ts"
import { modelToTry } from "../format/model-to-try.ts"
import { oneQuery } from "./queries.ts"

/**
 * Returns the chat models that a key may call; undefined until the catalog is loaded.
 * @param globs the models that the key may call; null means all models.
 */
function useCallableModels(globs: readonly string[] | null): readonly Model[] | undefined {
  const catalog = useQuery(oneQuery("GET /models", { query: { kind: "chat", priced: "true" } }))
  if (catalog.isPending) return undefined
  const matchers = globs?.map(globMatcher)
  return (
    catalog.data?.data.filter(
      ({ id }) => matchers === undefined || matchers.some((matches) => matches(id)),
    ) ?? []
  )
}

/** Returns a chat model that a key may call and that is likely to respond; undefined until the catalog is loaded. */
export function useFirstModel(globs: readonly string[] | null): string | undefined {
  const callable = useCallableModels(globs)
  return callable && firstOf(callable, globs)
}

/** Returns the ids of the models that a tool starts with. */
export type ModelsOfTool = (tool: Tool) => { readonly model: string; readonly smallModel: string }

/**
 * Returns the models that each tool starts with, by the rules of the command `connect`; undefined until the catalog is
 * loaded.
 */
export function useModelsOfTools(globs: readonly string[] | null): ModelsOfTool | undefined {
  const callable = useCallableModels(globs)
  const modelsOf = useCallback<ModelsOfTool>(
    (tool) => {
      const { main, small } = familyModels(
        tool,
        callable?.filter(({ group }) => group === null) ?? [],
      )
      const first = firstOf(callable ?? [], globs)
      return { model: main?.id ?? first, smallModel: small?.id ?? first }
    },
    [callable, globs],
  )
  return callable && modelsOf
}

function firstOf(callable: readonly Model[], globs: readonly string[] | null): string {
  return modelToTry(callable)?.id ?? firstExact(globs) ?? "provider/model"
}

function firstExact(globs: readonly string[] | null): string | undefined {
  return globs?.find((glob) => !glob.includes("*"))
}
