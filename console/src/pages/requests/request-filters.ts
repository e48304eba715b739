import type { Input } from "tollgate-contract/client.ts"
import { fromLocalField } from "../../format/moments.ts"

/** The filters of the list of requests, as they stand in the address. */
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
  readonly user?: string | undefined
  readonly session?: string | undefined
  readonly tag?: string | undefined
}

/** The filters that only links from other pages set, and what they are called. */
export const LINKED_FILTERS = [
  ["provider", "Provider"],
  ["endpoint", "Endpoint"],
  ["user", "End user"],
  ["session", "Session"],
  ["tag", "Tag"],
] as const

const HOUR = 3_600_000

/** The spans of time that can be chosen, and how long each is; null: none or another. */
export const TIMES: readonly { value: string; label: string; length: number | null }[] = [
  { value: "all", label: "Any time", length: null },
  { value: "1h", label: "Last hour", length: HOUR },
  { value: "24h", label: "Last 24 hours", length: 24 * HOUR },
  { value: "7d", label: "Last 7 days", length: 7 * 24 * HOUR },
  { value: "30d", label: "Last 30 days", length: 30 * 24 * HOUR },
  { value: "custom", label: "From, to", length: null },
]

const STATUSES = ["ok", "failed", "written_off"] as const

/** The filters as the API's query. */
export function requestQueryOf(
  filters: RequestFilters,
  now: number,
): NonNullable<Input<"GET /receipts">["query"]> {
  const { key, model, status, search, provider, endpoint, user, session, tag } = filters
  const known = STATUSES.find((known) => known === status)
  const linked = { provider, endpoint, user, session, tag }
  return { key, model, status: known, search, ...linked, ...timesOf(filters, now) }
}

/** The same for requests that were refused. */
export function refusedQueryOf(
  filters: RequestFilters,
  now: number,
): NonNullable<Input<"GET /failures">["query"]> {
  const { key, model, search, endpoint } = filters
  return { key, model, search, endpoint, ...timesOf(filters, now) }
}

function timesOf({ time, from, to }: RequestFilters, now: number) {
  if (time === "custom") return { from: fromLocalField(from ?? ""), to: fromLocalField(to ?? "") }
  const length = TIMES.find((each) => each.value === time)?.length ?? null
  return { from: length === null ? undefined : new Date(now - length).toISOString(), to: undefined }
}

/** Whether anything is filtered. */
export function isFiltered(filters: RequestFilters): boolean {
  const { time, key, model, status, search } = filters
  const linked = LINKED_FILTERS.map(([name]) => filters[name])
  return (
    [key, model, status, search, ...linked].some((value) => value !== undefined) ||
    (time !== undefined && time !== "all")
  )
}
