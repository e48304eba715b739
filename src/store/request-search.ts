import { OUTCOMES_WITHOUT_FAILURE } from "#contract/outcomes.ts"

/** The prefix of every request id. */
export const ID_PREFIX = "req_"
/** Sorts after all characters that occur in ids. */
export const AFTER_IDS = "~"
/** Sorts after all texts that begin with the same characters. */
export const AFTER_TEXTS = "\u{10FFFF}"
/** Maximum number of keys with a name that a search text occurs in. */
export const MAX_FOUND_KEYS = 1_000
/** Maximum number of labels of one kind that a search finds individually. */
export const MAX_FOUND_LABELS = 50
/** The kinds of labels. */
export const LABEL_NAMES = ["user", "session", "tag"] as const
/** Matches parts of ids, which consist of `req_` and a UUID. */
const PART_OF_ID = /^[req_0-9a-f-]*$/

/** Whether only failed requests can contain a text, because no id and no other outcome contains it. */
export function isFailure(search: string | undefined): boolean {
  return isIn(search, new Set())
}

/** Whether only requests that failed or were partly written off can contain a text. */
export function isOnlyInTroubled(search: string | undefined): boolean {
  return isIn(search, new Set(["written_off"]))
}

/** Whether any request may contain a text, so that no index helps. An index can only find the beginning of an id. */
export function needsScan(search: string | undefined): boolean {
  return search !== undefined && !search.startsWith(ID_PREFIX) && !isOnlyInTroubled(search)
}

/**
 * Whether neither an id nor the outcome of a successful request can contain a text.
 * @param fine outcomes that are not checked.
 */
function isIn(search: string | undefined, fine: ReadonlySet<string>): boolean {
  if (search === undefined || PART_OF_ID.test(search)) return false
  return ![...OUTCOMES_WITHOUT_FAILURE].some(
    (outcome) => !fine.has(outcome) && outcome.includes(search),
  )
}

/** Returns the lowest request id that can be created at a moment. Ids start with their time (RFC 9562, version 7). */
export function firstRequestOf(at: number): string {
  const digits = at.toString(16).padStart(12, "0")
  return `${ID_PREFIX}${digits.slice(0, 8)}-${digits.slice(8)}`
}

/** Returns the start of a request in Unix milliseconds, which its id contains; undefined for any other id. */
export function startOf(request: string): number | undefined {
  const [, first, second] = /^req_([0-9a-f]{8})-([0-9a-f]{4})-/.exec(request) ?? []
  return first === undefined || second === undefined ? undefined : parseInt(first + second, 16)
}

/** Whether a filter's model is a glob. In these globs, only `*` has a special meaning. */
export function isGlob(model: string | undefined): model is string {
  return model?.includes("*") ?? false
}
