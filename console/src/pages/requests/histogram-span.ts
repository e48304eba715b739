import { toLocalField } from "../../format/moments.ts"
import { type RequestFilters, TIMES, timesOf } from "./request-filters.ts"

export type Step = "minute" | "hour" | "day"

/** A time range in equal steps, Unix milliseconds. */
export interface HistogramSpan {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly step: Step
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const LENGTHS: Readonly<Record<Step, number>> = { minute: MINUTE, hour: HOUR, day: DAY }
/** The default range. */
const USUAL = 30 * DAY
/** Maximum lengths for bars of a minute, and of an hour. */
const LONGEST_OF_MINUTES = 3 * HOUR
const LONGEST_OF_HOURS = 8 * DAY
/** Maximum number of steps per query. */
const MOST_PARTS = 366

/** Returns the range of the bars, extended to complete steps. */
export function histogramSpan(filters: RequestFilters, now: number): HistogramSpan {
  const chosen = timesOf(filters, now)
  const length = TIMES.find(({ value }) => value === filters.time)?.length ?? USUAL
  const end = chosen.to === undefined ? now : Date.parse(chosen.to)
  const begin = chosen.from === undefined ? end - length : Date.parse(chosen.from)
  const step = stepOf(end - begin)
  const part = LENGTHS[step]
  const to = Math.ceil(end / part) * part
  const from = Math.floor(begin / part) * part
  return { from: Math.max(Math.min(from, to - part), to - MOST_PARTS * part), to, step }
}

function stepOf(length: number): Step {
  if (length <= LONGEST_OF_MINUTES) return "minute"
  return length <= LONGEST_OF_HOURS ? "hour" : "day"
}

/** Returns the start of each step. */
export function partsOf({ from, to, step }: HistogramSpan): number[] {
  const part = LENGTHS[step]
  return Array.from({ length: Math.round((to - from) / part) }, (_, index) => from + index * part)
}

/** Returns the filter for a single step. */
export function narrowTo(at: number, step: Step): RequestFilters {
  return { time: "custom", from: fieldOf(at), to: fieldOf(at + LENGTHS[step]) }
}

function fieldOf(moment: number): string {
  return toLocalField(new Date(moment).toISOString())
}
