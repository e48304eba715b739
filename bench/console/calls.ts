import { DAY_MS, HOUR_MS } from "#contract/durations.ts"
import { accountName, keysOf, modelName } from "./history.ts"

/** A call of the management API by the console. */
export interface ConsoleCall {
  readonly name: string
  /** The path under `/admin/v1`, with its query. */
  readonly path: string
}

const GROUPS = [
  "model",
  "key",
  "account",
  "provider",
  "endpoint",
  "outcome",
  "user",
  "session",
  "tag",
]

/** Names and times that occur in a history. */
export interface Known {
  /** The end of the history in Unix milliseconds. */
  readonly now: number
  readonly request: string
  readonly session: string
}

type Query = Readonly<Record<string, string | number | undefined>>

function callTo(name: string, path: string, query: Query = {}): ConsoleCall {
  const given = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as const],
  )
  return { name, path: `${path}?${new URLSearchParams(Object.fromEntries(given)).toString()}` }
}

/**
 * Callers with different amounts of data: all accounts, and the accounts and keys with the most and the fewest
 * requests.
 */
const BUSY = accountName(0)
const QUIET = accountName(99)
const BUSY_KEY = keysOf(BUSY)[0]

/** Returns the filters of the request list. The bars above the list have the same filters. */
function filters({ now, request, session }: Known): Record<string, Query> {
  return {
    nothing: {},
    "a busy account": { account: BUSY },
    "a quiet account": { account: QUIET },
    "a key": { account: BUSY, key: BUSY_KEY },
    "a model": { model: modelName(0) },
    "a model of a quiet account": { account: QUIET, model: modelName(3) },
    "models by a glob": { model: "vendor-1/*" },
    "a provider": { provider: "vendor-2" },
    "a provider without requests": { provider: "nobody" },
    "an endpoint": { endpoint: "/v1/embeddings" },
    failed: { status: "failed" },
    "failed of an account": { status: "failed", account: BUSY },
    "failed of a provider": { status: "failed", provider: "vendor-2" },
    answered: { status: "ok" },
    "written off": { status: "written_off" },
    "an id": { search: request },
    "the beginning of an id": { search: request.slice(0, 16) },
    "a part of an outcome": { search: "timeout" },
    "a text that is nowhere": { search: "0000-zzzz" },
    "a part of a model": { search: "MODEL-17" },
    "a part of the name of a key": { search: `${QUIET}_3` },
    "the beginning of an end user": { search: "customer-1999" },
    "the beginning of many end users": { search: "customer-" },
    "an end user": { user: "customer-0" },
    "a session": { session },
    "a tag": { tag: "feature=f0" },
    "a tag of an account": { tag: "feature=f1", account: BUSY },
    "a cost": { min_cost: "0.001" },
    "a cost of an account": { min_cost: "0.001", account: BUSY },
    "a duration": { min_duration_ms: 20_000 },
    "a duration with a tag": { min_duration_ms: 20_000, tag: "feature=f0" },
    "a week": { from: iso(now - 14 * DAY_MS), to: iso(now - 7 * DAY_MS) },
  }
}

function iso(at: number): string {
  return new Date(at).toISOString()
}

/** Returns the calls of request lists, in each order. */
export function listCalls(known: Known): ConsoleCall[] {
  const narrowed = Object.entries(filters(known)).map(([name, query]) =>
    callTo(`list: ${name}`, "/receipts", { ...query, limit: 50 }),
  )
  const sorted = ["most_expensive", "slowest"].flatMap((sort) => [
    callTo(`list: ${sort}`, "/receipts", { sort, limit: 50 }),
    callTo(`list: ${sort} of an account`, "/receipts", { sort, account: BUSY, limit: 50 }),
    callTo(`list: ${sort} of a key`, "/receipts", { sort, key: BUSY_KEY, limit: 50 }),
    callTo(`list: ${sort} with a tag`, "/receipts", { sort, tag: "feature=f0", limit: 50 }),
    callTo(`list: ${sort} of a day`, "/receipts", {
      sort,
      from: iso(known.now - DAY_MS),
      limit: 50,
    }),
  ])
  return [...narrowed, ...sorted]
}

/** Returns the calls of the bars above the list. */
export function barCalls(known: Known): ConsoleCall[] {
  const day = Math.ceil(known.now / DAY_MS) * DAY_MS
  const month = { from: iso(day - 31 * DAY_MS), to: iso(day), step: "day" }
  const narrowed = Object.entries(filters(known)).map(([name, query]) =>
    callTo(`bars of 31 days: ${name}`, "/usage/requests", { ...month, ...query, ...month }),
  )
  const hour = Math.ceil(known.now / HOUR_MS) * HOUR_MS
  const minute = Math.ceil(known.now / 60_000) * 60_000
  return [
    ...narrowed,
    callTo("bars of 7 days by the hour", "/usage/requests", {
      from: iso(hour - 7 * DAY_MS),
      to: iso(hour),
      step: "hour",
    }),
    callTo("bars of 3 hours by the minute", "/usage/requests", {
      from: iso(minute - 3 * HOUR_MS),
      to: iso(minute),
      step: "minute",
    }),
  ]
}

/** Returns the calls of the Usage page, with every grouping. */
export function usageCalls({ now }: Known): ConsoleCall[] {
  const spans = [
    { name: "a day", length: DAY_MS, series: "hour", unit: HOUR_MS },
    { name: "7 days", length: 7 * DAY_MS, series: "day", unit: DAY_MS },
    { name: "31 days", length: 31 * DAY_MS, series: "day", unit: DAY_MS },
    // The history does not include the first two of these weeks.
    { name: "20 days, by the hour", length: 20 * DAY_MS, series: "hour", unit: HOUR_MS },
  ]
  return spans.flatMap(({ name, length, series, unit }) => {
    const to = Math.ceil(now / unit) * unit
    const query = { from: iso(to - length), to: iso(to), series, before: "true" }
    const usage = (what: string, more: Query) =>
      callTo(`usage of ${name} by ${what}`, "/usage", { ...query, ...more })
    return [
      ...GROUPS.map((group) => usage(group, { group })),
      usage("model, with times", { group: "model", times: "true" }),
      usage("key of an account", { group: "key", account: BUSY }),
      usage("key of an account, with times", { group: "key", account: BUSY, times: "true" }),
      usage("user of an account", { group: "user", account: BUSY }),
      usage("session of a model", { group: "session", model: modelName(0) }),
      usage("model of a tag", { group: "model", tag: "feature=f0" }),
      usage("user of a tag", { group: "user", tag: "feature=f0" }),
      usage("model of a provider", { group: "model", provider: "vendor-1" }),
      callTo(`changes of ${name}`, "/usage/changes", { from: query.from, to: query.to }),
    ]
  })
}

const EXPLORED_DAYS = [1, 7, 31, 90]
/** The query parameters of each metric: the sum by which groups are sorted, and whether times are needed. */
const METRICS: Readonly<Record<string, Query>> = {
  spend: { order: "cost" },
  tokens: { order: "tokens" },
  times: { order: "requests", times: "true" },
}

/**
 * Returns the calls of the usage explorer: each grouping with each time range and metric, for all accounts and for one
 * account. Each is compared with the preceding range.
 */
export function explorerCalls({ now }: Known): ConsoleCall[] {
  return Object.entries({ "all accounts": undefined, "one account": BUSY }).flatMap(
    ([who, account]) =>
      EXPLORED_DAYS.flatMap((days) => {
        const unit = days === 1 ? HOUR_MS : DAY_MS
        const to = Math.ceil(now / unit) * unit
        const span = {
          from: iso(to - days * DAY_MS),
          to: iso(to),
          series: days === 1 ? "hour" : "day",
        }
        return GROUPS.flatMap((group) =>
          Object.entries(METRICS).map(([metric, query]) =>
            callTo(`${metric} of ${who} in ${days} days by ${group}`, "/usage", {
              ...span,
              before: "true",
              group,
              account,
              ...query,
            }),
          ),
        )
      }),
  )
}

/** Returns the calls of all other pages. */
export function pageCalls({ now, request, session }: Known): ConsoleCall[] {
  const sorts = ["created_at", "name", "balance", "spent_30_days", "last_used_at", "days_left"]
  return [
    callTo("overview of all accounts", "/usage/overview"),
    callTo("overview of a busy account", "/usage/overview", { account: BUSY }),
    callTo("overview of a quiet account", "/usage/overview", { account: QUIET }),
    callTo("reliability of models", "/usage/reliability", { group: "model" }),
    callTo("reliability of providers", "/usage/reliability", { group: "provider" }),
    ...sorts.map((sort) =>
      callTo(`accounts by ${sort}`, "/accounts", { sort, order: "desc", limit: 50 }),
    ),
    callTo("accounts by a name", "/accounts", { search: "account_1", limit: 50 }),
    callTo("all accounts of the switcher", "/accounts", { limit: 200 }),
    callTo("keys", "/keys", { limit: 200 }),
    callTo("keys of an account", "/keys", { account: BUSY, limit: 200 }),
    callTo("credits", `/accounts/${BUSY}/credits`),
    callTo("ledger of an account", `/accounts/${BUSY}/entries`, { limit: 50 }),
    callTo("grants of an account", `/accounts/${BUSY}/entries`, { kind: "grant", limit: 50 }),
    callTo("a session", "/receipts", { session, limit: 200 }),
    callTo("sums of a session", "/usage", {
      session,
      from: iso(now - 31 * DAY_MS),
      to: iso(now),
      group: "model",
    }),
    callTo("a receipt", `/requests/${request}`),
    callTo("rejected requests", "/failures", { limit: 50 }),
    callTo("write-offs", "/write-offs", { limit: 50 }),
    callTo("audit", "/audit", { limit: 50 }),
    callTo("models", "/models", { limit: 1_000 }),
    callTo("providers", "/providers"),
    callTo("system", "/system"),
    callTo("users", "/users", { limit: 50 }),
    callTo("codes", "/codes", { limit: 50 }),
    callTo("price groups", "/price-groups"),
    callTo("notices", "/notices", { limit: 50 }),
  ]
}

/** Returns the calls that download files. They are timed until the first byte. */
export function fileCalls({ now }: Known): ConsoleCall[] {
  const date = (at: number) => iso(at).slice(0, "2026-11-01".length)
  return [
    callTo("requests as CSV", "/receipts.csv"),
    callTo("requests as CSV, highest cost first", "/receipts.csv", { sort: "most_expensive" }),
    callTo("requests of an account as CSV", "/receipts.csv", { account: BUSY }),
    callTo("statement of an account", `/accounts/${BUSY}/statement`, {
      from: date(now - 30 * DAY_MS),
      to: date(now),
    }),
  ]
}
