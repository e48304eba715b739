import { HOUR_MS } from "tollgate-contract/durations.ts"
import type { Input } from "tollgate-contract/client.ts"
import type { Step } from "./histogram-span.ts"
import { CALENDAR_RANGES, calendarSpan, isCalendarRange } from "../../format/days.ts"
import { fromLocalField } from "../../format/moments.ts"
import { t } from "../../languages/text.ts"

/** The filters of the request list, as stored in the address. */
export interface RequestFilters {
  readonly time?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly key?: string | undefined
  readonly model?: string | undefined
  readonly status?: string | undefined
  readonly search?: string | undefined
  readonly provider?: string | undefined
  readonly endpoint?: string | undefined
  readonly price_group?: string | undefined
  readonly user?: string | undefined
  readonly session?: string | undefined
  readonly tag?: string | undefined
  /** The minimum cost in credits. */
  readonly min_cost?: string | undefined
  readonly max_cost?: string | undefined
  readonly min_time?: string | undefined
  readonly max_time?: string | undefined
  readonly sort?: string | undefined
}

/** The minimum and maximum filters with their labels. */
export const BOUND_FILTERS = [
  ["min_cost", t("Cost at least")],
  ["max_cost", t("Cost at most")],
  ["min_time", t("Seconds at least")],
  ["max_time", t("Seconds at most")],
] as const

const AMOUNT = /^\d{1,9}(\.\d{1,9})?$/

/** Returns the error of a bound; undefined if the bound is valid. */
export function boundFault(text: string): string | undefined {
  return text === "" || AMOUNT.test(text) ? undefined : t("Enter a number, such as 0.05")
}

/** Filters that only users who see costs need. */
const COST_FILTERS: ReadonlySet<string> = new Set(["provider", "price_group"])

/** Filters that can be set only by links from other pages, with their labels. */
export const LINKED_FILTERS = [
  ["provider", t("Provider")],
  ["endpoint", t("Endpoint")],
  ["price_group", t("Price group")],
  ["user", t("End user")],
  ["session", t("Session")],
  ["tag", t("Tag")],
] as const

/** Returns the filters that a user can type. */
export function linkedFiltersFor(showsCosts: boolean): readonly (typeof LINKED_FILTERS)[number][] {
  return LINKED_FILTERS.filter(([name]) => showsCosts || !COST_FILTERS.has(name))
}

/** The selectable time ranges with their lengths in milliseconds; null means unlimited or custom. */
export const TIMES: readonly { value: string; label: string; length: number | null }[] = [
  { value: "all", label: t("Any time"), length: null },
  { value: "1h", label: t("Last hour"), length: HOUR_MS },
  { value: "24h", label: t("Last 24 hours"), length: 24 * HOUR_MS },
  { value: "7d", label: t("Last 7 days"), length: 7 * 24 * HOUR_MS },
  { value: "30d", label: t("Last 30 days"), length: 30 * 24 * HOUR_MS },
  ...CALENDAR_RANGES.map((range) => ({ ...range, length: null })),
  { value: "custom", label: t("Custom range"), length: null },
]

const STATUSES = ["ok", "failed", "written_off"] as const

/** The API's sort orders, by their form in the address. */
const ORDERS: Readonly<Record<string, "most_expensive" | "slowest">> = {
  "-cost": "most_expensive",
  "-duration": "slowest",
}

/** Converts the filters to the API's query. */
export function requestQueryOf(
  filters: RequestFilters,
  now: number,
): NonNullable<Input<"GET /requests.csv">["query"]> {
  const { key, model, status, search, provider, endpoint, price_group } = filters
  const { user, session, tag } = filters
  const known = STATUSES.find((known) => known === status)
  const linked = { provider, endpoint, price_group, user, session, tag }
  const names = { key, model, status: known, search, ...linked }
  const sort = ORDERS[filters.sort ?? ""]
  return { ...names, sort, ...boundsOf(filters), ...timesOf(filters, now) }
}

/** Returns the numeric bounds. Invalid numbers are omitted, because the address is user input. */
function boundsOf(filters: RequestFilters) {
  const bound = (name: (typeof BOUND_FILTERS)[number][0]) => {
    const text = filters[name]
    return text === undefined || boundFault(text) !== undefined ? undefined : text
  }
  return {
    min_cost: bound("min_cost"),
    max_cost: bound("max_cost"),
    min_duration_ms: millisecondsOf(bound("min_time")),
    max_duration_ms: millisecondsOf(bound("max_time")),
  }
}

function millisecondsOf(seconds: string | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1_000)
}

/** Converts the filters to a query for counts over time. */
export function requestCountQueryOf(
  filters: RequestFilters,
  { from, to, step }: { readonly from: number; readonly to: number; readonly step: Step },
): NonNullable<Input<"GET /usage/requests">["query"]> {
  const { sort: _sort, status, ...query } = requestQueryOf(filters, to)
  return {
    ...query,
    status: filters.status === "rejected" ? "rejected" : status,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    step,
  }
}

/**
 * Converts the filters to a query for requests that were rejected before a provider was called.
 * Other failed requests have a receipt.
 */
export function rejectedQueryOf(
  filters: RequestFilters,
  now: number,
): NonNullable<Input<"GET /failures">["query"]> {
  const { key, model, search, endpoint } = filters
  return { rejected: "true", key, model, search, endpoint, ...timesOf(filters, now) }
}

/** Returns the selected time range; undefined if it is unlimited. */
export function timesOf({ time, from, to }: RequestFilters, now: number) {
  if (isCalendarRange(time)) return calendarSpan(time, now)
  if (time === "custom") return { from: fromLocalField(from ?? ""), to: fromLocalField(to ?? "") }
  const length = TIMES.find((each) => each.value === time)?.length ?? null
  return { from: length === null ? undefined : new Date(now - length).toISOString(), to: undefined }
}

/** Reports whether any filter is active. */
export function isFiltered(filters: RequestFilters): boolean {
  const { time, key, model, status, search } = filters
  const linked = [...LINKED_FILTERS, ...BOUND_FILTERS].map(([name]) => filters[name])
  return (
    [key, model, status, search, ...linked].some((value) => value !== undefined) ||
    (time !== undefined && time !== "all")
  )
}
