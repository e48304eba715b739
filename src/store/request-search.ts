import { OUTCOMES_WITHOUT_FAILURE } from "./request-summary.ts"

/** The prefix of every request id. */
export const ID_PREFIX = "req_"
/** Sorts after all characters of ids. */
export const AFTER_IDS = "~"
/** Ids are `req_` and a UUID. */
const PART_OF_ID = /^[req_0-9a-f-]*$/

/** Returns whether only failed requests can contain a text: no id and no other outcome contains it. */
export function isFailure(search: string | undefined): boolean {
  return isIn(search, new Set())
}

/** Returns whether only failed or partly written-off requests can contain a text. */
export function isOnlyInTroubled(search: string | undefined): boolean {
  return isIn(search, new Set(["written_off"]))
}

/**
 * Returns whether any request may contain a text, so that no index helps. The beginning of an id can be found by an
 * index.
 */
export function needsScan(search: string | undefined): boolean {
  return search !== undefined && !search.startsWith(ID_PREFIX) && !isOnlyInTroubled(search)
}

/** @param fine further outcomes that may contain it and are no failures. */
function isIn(search: string | undefined, fine: ReadonlySet<string>): boolean {
  if (search === undefined || PART_OF_ID.test(search)) return false
  return ![...OUTCOMES_WITHOUT_FAILURE].some(
    (outcome) => !fine.has(outcome) && outcome.includes(search),
  )
}

/** Returns whether a filter's model is a glob. Only `*` is special in these globs. */
export function isGlob(model: string | undefined): model is string {
  return model?.includes("*") ?? false
}
