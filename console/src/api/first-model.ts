import { useQuery } from "@tanstack/react-query"
import { allowsModel } from "../format/globs.ts"
import { modelToTry } from "../format/model-to-try.ts"
import { oneQuery } from "./queries.ts"

/**
 * Returns a chat model that a key may call and that is likely to respond; undefined until the catalog is loaded.
 * @param globs the models that the key may call; null means all models.
 */
export function useFirstModel(globs: readonly string[] | null): string | undefined {
  const catalog = useQuery(oneQuery("GET /models", { query: { kind: "chat", priced: "true" } }))
  if (catalog.isPending) return undefined
  const callable = catalog.data?.data.filter(({ id }) => allowsModel(globs, id)) ?? []
  return modelToTry(callable)?.id ?? firstExact(globs) ?? "provider/model"
}

function firstExact(globs: readonly string[] | null): string | undefined {
  return globs?.find((glob) => !glob.includes("*"))
}
