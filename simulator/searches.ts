import { arrayOf, objectOf, stringOf, type Json } from "./json.ts"

/** A model that may search does so once for each time that this word stands in what it is asked. */
export const SEARCH_WORD = "search:"

const SEARCHING = /^web_search/
/** More than this no one waits for. */
const MAX = 10

/** The searches of a request: what is searched for in each. */
export function searchesOf(tools: Json | undefined, echo: string): string[] {
  const tool = arrayOf(tools)
    .map(objectOf)
    .find(({ type }) => SEARCHING.test(stringOf(type)))
  if (tool === undefined) return []
  const max = typeof tool.max_uses === "number" ? tool.max_uses : MAX
  const [, ...queries] = echo.split(SEARCH_WORD)
  return queries.slice(0, max).map((query) => query.trim().slice(0, 100))
}

/** The service tiers that are reported: the requested ones. */
const TIERS = new Set(["priority", "flex"])

/** The class of service of a finished answer. */
export function servedTier(asked: Json | undefined): string {
  const tier = stringOf(asked)
  return TIERS.has(tier) ? tier : "default"
}
