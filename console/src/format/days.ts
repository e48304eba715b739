import { DAY_MS } from "tollgate-contract/durations.ts"
import { t } from "../languages/text.ts"

/** Returns the start, in UTC, of the day in a date field; undefined if the field has no valid date. */
export function dayStart(day: string | undefined): string | undefined {
  const at = momentOf(day)
  return at === undefined ? undefined : new Date(at).toISOString()
}

/** Returns the end, in UTC, of the day in a date field, which is the start of the next day. */
export function dayEnd(day: string | undefined): string | undefined {
  const at = momentOf(day)
  return at === undefined ? undefined : new Date(at + DAY_MS).toISOString()
}

function momentOf(day: string | undefined): number | undefined {
  if (day === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  const at = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(at) ? undefined : at
}

/** Ranges of whole days in UTC that can be selected, as stored in the address. */
export const CALENDAR_RANGES = [
  { value: "today", label: t("Today") },
  { value: "yesterday", label: t("Yesterday") },
  { value: "month", label: t("This month") },
  { value: "last_month", label: t("Last month") },
] as const
export type CalendarRange = (typeof CALENDAR_RANGES)[number]["value"]

export function isCalendarRange(name: string | undefined): name is CalendarRange {
  return CALENDAR_RANGES.some(({ value }) => value === name)
}

/**
 * Returns the first and the last day of a range, such as `2026-11-01`. The current month ends today.
 * @param now Unix milliseconds.
 */
export function calendarDays(range: CalendarRange, now: number): { from: string; to: string } {
  const today = new Date(now)
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()]
  switch (range) {
    case "today":
      return { from: dayOf(now), to: dayOf(now) }
    case "yesterday":
      return { from: dayOf(now - DAY_MS), to: dayOf(now - DAY_MS) }
    case "month":
      return { from: dayOf(Date.UTC(year, month, 1)), to: dayOf(now) }
    case "last_month":
      return { from: dayOf(Date.UTC(year, month - 1, 1)), to: dayOf(Date.UTC(year, month, 0)) }
  }
}

/** Returns the moments of a range as ISO text. The end is exclusive. */
export function calendarSpan(range: CalendarRange, now: number): { from: string; to: string } {
  const { from, to } = calendarDays(range, now)
  return { from: startOf(from), to: new Date(Date.parse(startOf(to)) + DAY_MS).toISOString() }
}

function startOf(day: string): string {
  return `${day}T00:00:00.000Z`
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, "2026-11-30".length)
}
