import { DAY_MS, HOUR_MS } from "tollgate-contract/durations.ts"
import type { Input } from "tollgate-contract/client.ts"
import type { UsageGroup } from "tollgate-contract/usage.ts"
import { CALENDAR_RANGES, calendarSpan, isCalendarRange } from "../../format/days.ts"
import { fromLocalField } from "../../format/moments.ts"
import { t } from "../../languages/text.ts"

/** The filters of the usage page, as stored in the address. */
export interface UsageFilters {
  readonly time?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly metric?: string | undefined
  readonly group?: string | undefined
  readonly view?: string | undefined
  readonly key?: string | undefined
  readonly model?: string | undefined
  readonly provider?: string | undefined
  readonly endpoint?: string | undefined
  readonly outcome?: string | undefined
  readonly price_group?: string | undefined
  readonly user?: string | undefined
  readonly session?: string | undefined
  readonly tag?: string | undefined
  /** `true` if the change of spending is explained. */
  readonly why?: string | undefined
}

/** Maximum length in milliseconds of a range shown by hour. Longer ranges are shown by day. */
const MAX_LENGTH_BY_HOUR = 3 * DAY_MS

export const TIMES: readonly { value: string; label: string; length: number | null }[] = [
  { value: "24h", label: t("Last 24 hours"), length: DAY_MS },
  { value: "3d", label: t("Last 3 days"), length: 3 * DAY_MS },
  { value: "7d", label: t("Last 7 days"), length: 7 * DAY_MS },
  { value: "30d", label: t("Last 30 days"), length: 30 * DAY_MS },
  { value: "90d", label: t("Last 90 days"), length: 90 * DAY_MS },
  ...CALENDAR_RANGES.map((range) => ({ ...range, length: null })),
  { value: "custom", label: t("Custom range"), length: null },
]

export const GROUPS: readonly { value: Exclude<UsageGroup, "hour" | "day">; label: string }[] = [
  { value: "model", label: t("Model") },
  { value: "key", label: t("Key") },
  { value: "account", label: t("Account") },
  { value: "provider", label: t("Provider") },
  { value: "endpoint", label: t("Endpoint") },
  { value: "outcome", label: t("Outcome") },
  { value: "price_group", label: t("Price group") },
  { value: "user", label: t("End user") },
  { value: "session", label: t("Session") },
  { value: "tag", label: t("Tag") },
]

/** The address parameters that limit the sums to a part of the usage. */
export const NARROWING = [
  "key",
  "model",
  "provider",
  "endpoint",
  "outcome",
  "price_group",
  "user",
  "session",
  "tag",
] as const

/** Groups that only users who see costs can choose. */
const COST_GROUPS: ReadonlySet<string> = new Set(["provider", "price_group"])

/** Returns the groups that a user can choose. */
export function groupsFor(showsCosts: boolean): typeof GROUPS {
  return showsCosts ? GROUPS : GROUPS.filter(({ value }) => !COST_GROUPS.has(value))
}

export type UsageGroupName = (typeof GROUPS)[number]["value"]

export function groupOf({ group }: UsageFilters): UsageGroupName {
  return GROUPS.find(({ value }) => value === group)?.value ?? "model"
}

/** A time range as ISO text, and whether it is shown by hour or by day. */
export interface UsageSpan {
  readonly from: string
  readonly to: string
  readonly step: "hour" | "day"
}

/**
 * Returns the selected time range; undefined if the selected times are invalid. @param now Unix
 * milliseconds.
 */
export function spanOf({ time, from, to }: UsageFilters, now: number): UsageSpan | undefined {
  if (time === "custom")
    return customSpan(fromLocalField(from ?? ""), fromLocalField(to ?? ""), now)
  if (isCalendarRange(time)) {
    return { ...calendarSpan(time, now), step: time.endsWith("month") ? "day" : "hour" }
  }
  const length = TIMES.find(({ value }) => value === time)?.length ?? 30 * DAY_MS
  const step = length <= MAX_LENGTH_BY_HOUR ? "hour" : "day"
  const unit = step === "hour" ? HOUR_MS : DAY_MS
  // The range consists of whole hours or days, including the current one.
  const end = (Math.floor(now / unit) + 1) * unit
  return { from: isoOf(end - length), to: isoOf(end), step }
}

function customSpan(
  from: string | undefined,
  to: string | undefined,
  now: number,
): UsageSpan | undefined {
  if (from === undefined) return undefined
  const end = to ?? isoOf((Math.floor(now / HOUR_MS) + 1) * HOUR_MS)
  const length = Date.parse(end) - Date.parse(from)
  if (length <= 0) return undefined
  return { from, to: end, step: length <= MAX_LENGTH_BY_HOUR ? "hour" : "day" }
}

function isoOf(at: number): string {
  return new Date(at).toISOString()
}

/** Returns the start of each hour or day in a range as ISO text, even if there was no usage. */
export function momentsOf({ from, to, step }: UsageSpan): string[] {
  const unit = step === "hour" ? HOUR_MS : DAY_MS
  const first = Math.floor(Date.parse(from) / unit) * unit
  const count = Math.ceil((Date.parse(to) - first) / unit)
  return Array.from({ length: count }, (_, index) => isoOf(first + index * unit))
}

/** Returns the filters for some moments of a range, from the first to the last one. */
export function rangeFilters(
  { step }: Pick<UsageSpan, "step">,
  first: string,
  last: string,
  toField: (iso: string) => string,
): UsageFilters {
  const end = Date.parse(last) + (step === "hour" ? HOUR_MS : DAY_MS)
  return { time: "custom", from: toField(first), to: toField(isoOf(end)) }
}

/** Builds the query of the API for the usage of a range. */
export function usageQueryOf(
  filters: UsageFilters,
  account: string | undefined,
  span: UsageSpan,
  metric: { readonly order: "cost" | "requests" | "tokens" | "errors"; readonly isTime: boolean },
): NonNullable<Input<"GET /usage">["query"]> {
  return {
    account,
    ...narrowing(filters),
    from: span.from,
    to: span.to,
    group: groupOf(filters),
    series: span.step,
    order: metric.order,
    before: "true",
    ...(metric.isTime && { times: "true" }),
  }
}

/** Returns only the parameters that limit the sums, as stored in the address. */
export function narrowing(
  filters: UsageFilters,
): Partial<Record<(typeof NARROWING)[number], string>> {
  return Object.fromEntries(
    NARROWING.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]]])),
  )
}

/**
 * Returns the search parameters for requests with an outcome. "ok" is not searched as text, because a text search
 * matches substrings and "broken_off" contains "ok".
 */
function outcomeSearch(outcome: string): { readonly status: string } | { readonly search: string } {
  return outcome === "ok" ? { status: "ok" } : { search: outcome }
}

/** Returns the search parameters for the requests of a row: the same time range, and the row's group. */
export function requestsSearchOf(
  filters: UsageFilters,
  group: string,
  { from, to }: UsageSpan,
  toField: (iso: string) => string,
): Readonly<Record<string, string | undefined>> {
  const { outcome, ...others }: Readonly<Record<string, string>> = {
    ...narrowing(filters),
    // The request list cannot search for an empty name.
    ...(group !== "" && { [groupOf(filters)]: group }),
  }
  return {
    ...others,
    ...(outcome !== undefined && outcomeSearch(outcome)),
    time: "custom",
    from: toField(from),
    to: toField(to),
  }
}
