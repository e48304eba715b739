import { DAY_MS } from "tollgate-contract/durations.ts"
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import type { Usage } from "tollgate-contract/usage.ts"
import { oneQuery } from "../../api/queries.ts"
import { roughCredits } from "../../format/credits.ts"

/** Number of days of a trend, including today. */
export const TREND_DAYS = 14
/** Maximum number of keys with a trend, the most expensive ones. */
const MAX_TRENDS = 200

/** The approximate spending of each key by day, from the oldest to the newest day. */
export type KeyTrends = ReadonlyMap<string, readonly number[]>

/** Returns the spending of the last days; undefined while it is loading. */
export function useKeyTrends(account: string | undefined): KeyTrends | undefined {
  const end = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS
  const start = end - TREND_DAYS * DAY_MS
  const query = {
    account,
    from: new Date(start).toISOString(),
    to: new Date(end).toISOString(),
    group: "key",
    series: "day",
    series_groups: MAX_TRENDS,
  } as const
  const { data } = useQuery({ ...oneQuery("GET /usage", { query }), staleTime: 60_000 })
  return useMemo(() => data && trendsOf(data, start), [data, start])
}

/** Returns the trends in a response of the API. @param start Unix milliseconds of the first day. */
export function trendsOf({ series = [] }: Usage, start: number): KeyTrends {
  const trends = new Map<string, number[]>()
  for (const { group, at, cost } of series) {
    const values = trends.get(group) ?? Array<number>(TREND_DAYS).fill(0)
    values[Math.floor((Date.parse(at) - start) / DAY_MS)] = roughCredits(cost)
    trends.set(group, values)
  }
  return trends
}
