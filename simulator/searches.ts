import { arrayOf, objectOf, stringOf, type Json } from "./json.ts"

/** A model with a search tool searches once for each occurrence of this word in the prompt. */
export const SEARCH_WORD = "search:"

const SEARCHING = /^web_search/
/** Maximum number of searches per request. */
const MAX = 10

/** Returns the queries of a request's searches. */
export function searchesOf(tools: Json | undefined, echo: string): string[] {
  const tool = arrayOf(tools)
    .map(objectOf)
    .find(({ type }) => SEARCHING.test(stringOf(type)))
  if (tool === undefined) return []
  const max = typeof tool.max_uses === "number" ? tool.max_uses : MAX
  const [, ...queries] = echo.split(SEARCH_WORD)
  return queries.slice(0, max).map((query) => query.trim().slice(0, 100))
}

/** Service tiers that are reported if they are requested. */
const TIERS = new Set(["priority", "flex"])

/** Returns the service tier of a finished response. */
export function servedTier(asked: Json | undefined): string {
  const tier = stringOf(asked)
  return TIERS.has(tier) ? tier : "default"
}
