import { FINE } from "./request-summary.ts"

/** Every id begins so. */
export const ID_PREFIX = "req_"
/** Follows all that ids are made of, in the order of their bytes. */
export const BEHIND_IDS = "~"
/** Ids are `req_` and a UUID. */
const PART_OF_ID = /^[req_0-9a-f-]*$/

/** Whether only failed requests can hold a text: no id does, and no other outcome. */
export function isFailure(search: string | undefined): boolean {
  return isIn(search, new Set())
}

/** Whether only failed requests can hold a text, and those of which a part was written off. */
export function isTrouble(search: string | undefined): boolean {
  return isIn(search, new Set(["written_off"]))
}

/** Whether a text may be in any request: no index helps to find it. An id's beginning does. */
export function isAnywhere(search: string | undefined): boolean {
  return search !== undefined && !search.startsWith(ID_PREFIX) && !isTrouble(search)
}

/** @param fine outcomes that may hold it and are no failures. */
function isIn(search: string | undefined, fine: ReadonlySet<string>): boolean {
  if (search === undefined || PART_OF_ID.test(search)) return false
  return ![...FINE].some((outcome) => !fine.has(outcome) && outcome.includes(search))
}

/** Whether a filter's model stands for several. Only `*` means something in these globs. */
export function isGlob(model: string | undefined): model is string {
  return model?.includes("*") ?? false
}
