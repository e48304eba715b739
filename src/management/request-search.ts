import { OUTCOMES_WITHOUT_FAILURE } from "#contract/outcomes.ts"
import { ERROR_KINDS } from "../canon/errors.ts"
import type { FailureFilter, FailureLog } from "../store/failure-log.ts"
import type { RequestReports } from "../store/reports.ts"
import { firstRequestOf, ID_PREFIX, startOf } from "../store/request-search.ts"
import type { FoundNames, RequestFilter } from "../store/requests.ts"
import type { TimePosition } from "../store/time-position.ts"
import type { Actor } from "./actor.ts"
import { KINDS_OF_VENDORS, REJECTED } from "./failure-kinds.ts"
import { latest } from "./request-pages.ts"

/** Outcomes that requests can have, except for those of old versions. */
const OUTCOMES = [...Object.keys(ERROR_KINDS), ...OUTCOMES_WITHOUT_FAILURE, "released", "expired"]
/** Matches the beginning of an id without its prefix. Shorter texts are more likely to be words. */
const START_OF_ID = /^[0-9a-f]{8}[0-9a-f-]*$/

/** Maximum number of accounts that are read one by one for the requests of their keys. */
const MAX_ACCOUNTS_OF_KEYS = 5

/** Alternative filters. A request must match at least one of them. Each is supported by an index. */
export interface FoundFilters {
  readonly filters: readonly RequestFilter[]
  /** The oldest time for which error messages were searched; null if they were searched completely. */
  readonly reach: number | null
}

export interface SearchRange {
  /** The time of the last request on the previous page; undefined for the first page. */
  readonly before: number | undefined
  /** Maximum number of requests that are found by their error messages. */
  readonly maxErrors: number
}

/**
 * Converts a search text to filters. A request matches if the text occurs in its error messages, its outcome, its model
 * or the name of its key, or if its id or a label begins with the text.
 */
export async function filtersOfSearch(
  { reports, failures }: { readonly reports: RequestReports; readonly failures: FailureLog },
  actor: Actor,
  { search, ...filter }: RequestFilter,
  range: SearchRange,
): Promise<FoundFilters> {
  const text = search?.trim() ?? ""
  if (text === "") return { filters: [filter], reach: null }
  const [names, errors] = await Promise.all([
    reports.names(text, filter.accounts),
    requestsWithError(failures, actor, { ...filter, search: text }, range),
  ])
  const own = [...ownTexts(text), ...nameFilters(names, filter)]
  if (names.labels === undefined) own.push({ labelPrefix: text })
  if (errors.requests.length > 0) own.push({ requests: errors.requests })
  return { filters: own.map((each) => ({ ...filter, ...each })), reach: errors.reach }
}

/** Returns the filters by id and by outcome. */
function ownTexts(text: string): RequestFilter[] {
  if (text.startsWith(ID_PREFIX)) return [{ search: text }]
  if (START_OF_ID.test(text)) return [{ search: ID_PREFIX + text }]
  const part = text.toLowerCase()
  return OUTCOMES.some((outcome) => outcome.includes(part)) ? [{ search: part }] : []
}

function nameFilters(
  { keys, accountsOfKeys, models, labels = [] }: FoundNames,
  { labels: given = [] }: RequestFilter,
): RequestFilter[] {
  return [
    ...(keys.length > 0 ? [keyFilter(keys, accountsOfKeys)] : []),
    ...(models.length > 0 ? [{ models }] : []),
    ...labels.map((label) => ({ labels: [...given, label] })),
  ]
}

/**
 * Returns the filter by keys. It includes their accounts to limit the number of requests that are read, unless there
 * are too many accounts.
 */
function keyFilter(keys: readonly string[], accounts: readonly string[]): RequestFilter {
  return accounts.length > MAX_ACCOUNTS_OF_KEYS ? { keys } : { keys, accounts }
}

interface FoundErrors {
  readonly requests: readonly string[]
  readonly reach: number | null
}

/**
 * Returns the newest requests with an error message that contains the text. Members only find the messages that they
 * may see: those of their requests, and a vendor's reason for rejecting one.
 */
async function requestsWithError(
  failures: FailureLog,
  actor: Actor,
  { search: text = "", accounts, from, to }: RequestFilter,
  { before, maxErrors }: SearchRange,
): Promise<FoundErrors> {
  // Messages can name providers, whose names a search would reveal letter by letter.
  if (actor.hidesCosts === true) return { requests: [], reach: null }
  const until = before === undefined ? to : before + 1
  const query = {
    text,
    kinds: KINDS_OF_VENDORS,
    from: from === undefined ? undefined : firstRequestOf(from),
    before: until === undefined ? undefined : firstRequestOf(until),
    ...(!actor.isOperator && { accounts, attemptKinds: [REJECTED] }),
  }
  const { requests, unsearched } = await failures.search(query, maxErrors + 1)
  const dropped = requests[maxErrors] ?? unsearched
  const start = dropped === null ? undefined : startOf(dropped)
  return { requests: requests.slice(0, maxErrors), reach: start === undefined ? null : start + 1 }
}

/** A filter for failed requests, and the oldest time that it covers; null if it covers all of them. */
interface SearchedFailures<Filter extends FailureFilter> {
  readonly filter: Filter
  readonly reach: number | null
}

/**
 * Completes the filter of a search in failed requests with the matching keys, the oldest searched time, and whether
 * messages are searched. If the text is the id of a failed request, only that request is read.
 * @param after the position after which failed requests are searched; null for the newest one.
 */
export async function searchInFailures<Filter extends FailureFilter>(
  { reports, failures }: { readonly reports: RequestReports; readonly failures: FailureLog },
  actor: Actor,
  filter: Filter,
  after: TimePosition | null,
): Promise<SearchedFailures<Filter>> {
  const { search, accounts, from } = filter
  if (search === undefined) return { filter, reach: null }
  if ((await failures.find(search)) !== null) {
    return { filter: { ...filter, search: undefined, request: search }, reach: null }
  }
  const [{ keys }, reach] = await Promise.all([
    reports.names(search, accounts),
    failures.searchReach(filter, after),
  ])
  const searched = { searchedKeys: keys, hidesMessages: actor.hidesCosts === true }
  const since = latest(reach, from ?? null) ?? undefined
  return { filter: { ...filter, ...searched, from: since }, reach }
}
