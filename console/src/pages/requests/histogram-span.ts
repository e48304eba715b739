import { DAY_MS, HOUR_MS, MINUTE_MS } from "tollgate-contract/durations.ts"
import { toLocalField } from "../../format/moments.ts"
import { type RequestFilters, TIMES, timesOf } from "./request-filters.ts"

export type Step = "minute" | "hour" | "day"

/** A time range divided into equal steps. Times are Unix milliseconds. */
export interface HistogramSpan {
  readonly from: number
  /** End of the range, exclusive. */
  readonly to: number
  readonly step: Step
}

const LENGTHS: Readonly<Record<Step, number>> = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS }
const DEFAULT_LENGTH = 30 * DAY_MS
const MAX_LENGTH_BY_MINUTE = 3 * HOUR_MS
const MAX_LENGTH_BY_HOUR = 8 * DAY_MS
const MAX_STEPS = 366

/** Returns the time range of the histogram, extended to complete steps. */
export function histogramSpan(filters: RequestFilters, now: number): HistogramSpan {
  const chosen = timesOf(filters, now)
  const length = TIMES.find(({ value }) => value === filters.time)?.length ?? DEFAULT_LENGTH
  const end = chosen.to === undefined ? now : Date.parse(chosen.to)
  const begin = chosen.from === undefined ? end - length : Date.parse(chosen.from)
  const step = stepOf(end - begin)
  const part = LENGTHS[step]
  const to = Math.ceil(end / part) * part
  const from = Math.floor(begin / part) * part
  return { from: Math.max(Math.min(from, to - part), to - MAX_STEPS * part), to, step }
}

function stepOf(length: number): Step {
  if (length <= MAX_LENGTH_BY_MINUTE) return "minute"
  return length <= MAX_LENGTH_BY_HOUR ? "hour" : "day"
}

/** Returns the start of each step in Unix milliseconds. */
export function partsOf({ from, to, step }: HistogramSpan): number[] {
  const part = LENGTHS[step]
  return Array.from({ length: Math.round((to - from) / part) }, (_, index) => from + index * part)
}

/** Returns the filter for some consecutive steps, from the start of the first one. */
export function narrowTo(first: number, last: number, step: Step): RequestFilters {
  return { time: "custom", from: fieldOf(first), to: fieldOf(last + LENGTHS[step]) }
}

function fieldOf(moment: number): string {
  return toLocalField(new Date(moment).toISOString())
}
