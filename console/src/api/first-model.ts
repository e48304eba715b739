import { useQuery } from "@tanstack/react-query"
import type { Model } from "tollgate-contract/catalog.ts"
import { cheapestModel } from "../format/cheap-model.ts"
import { allowsModel } from "../format/globs.ts"
import { oneQuery } from "./queries.ts"

/**
 * A model for chat that a key may call and that is likely to answer; undefined while the catalog is not there.
 * @param globs of the models that it may call; null: all.
 */
export function useFirstModel(globs: readonly string[] | null): string | undefined {
  const catalog = useQuery(oneQuery("GET /models", { query: { kind: "chat", priced: "true" } }))
  if (catalog.isPending) return undefined
  const callable = catalog.data?.data.filter(({ id }) => allowsModel(globs, id)) ?? []
  const first = cheapestModel(callable.filter(isReady)) ?? cheapestModel(callable)
  return first?.id ?? firstExact(globs) ?? "provider/model"
}

/** Whether it is likely to answer at once: a first request should not be the one that fails. */
function isReady({ deployments }: Model): boolean {
  return deployments.every(({ health }) => health.state !== "resting")
}

function firstExact(globs: readonly string[] | null): string | undefined {
  return globs?.find((glob) => !glob.includes("*"))
}
