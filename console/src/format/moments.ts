import { DAY_MS, HOUR_MS, MINUTE_MS } from "tollgate-contract/durations.ts"
import { t, currentLanguage } from "../languages/text.ts"

/** Options for dates and times. The default time zone is the reader's. Tests pass a zone. */
export interface MomentStyle {
  readonly timeZone?: string
  readonly now?: number
}

/** Formats a time such as `21 Nov 2026, 15:04:05`. */
export function momentText(iso: string, style: MomentStyle = {}): string {
  return new Intl.DateTimeFormat(currentLanguage.locale, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    ...zoneOf(style),
  }).format(new Date(iso))
}

/** Formats a time of day such as `15:04`. */
export function timeText(iso: string, style: MomentStyle = {}): string {
  return new Intl.DateTimeFormat(currentLanguage.locale, {
    hour: "2-digit",
    minute: "2-digit",
    ...zoneOf(style),
  }).format(new Date(iso))
}

/** Returns the name of the reader's time zone, such as `Europe/Berlin`. */
export function zoneName(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Formats a date such as `21 Nov 2026`. */
export function dayText(iso: string, style: MomentStyle = {}): string {
  return new Intl.DateTimeFormat(currentLanguage.locale, {
    day: "numeric",
    month: "short",
    year: "numeric",
    ...zoneOf(style),
  }).format(new Date(iso))
}

/**
 * Formats a time relative to now, such as `just now`, `5 minutes ago` or `in 3 days`. Times more than thirty days away
 * are formatted as dates.
 */
export function relativeText(iso: string, style: MomentStyle = {}): string {
  const away = new Date(iso).getTime() - (style.now ?? Date.now())
  const size = Math.abs(away)
  if (size < 10_000) return t("just now")
  if (size > 30 * DAY_MS) return dayText(iso, style)
  const [unit, length] = unitOf(size)
  return new Intl.RelativeTimeFormat(currentLanguage.numbers, { numeric: "always" }).format(
    Math.trunc(away / length),
    unit,
  )
}

/**
 * Returns the UTC date `daysAgo` days before `now`, such as `2026-11-21`, for statements and daily
 * sums.
 */
export function utcDay(daysAgo = 0, now = Date.now()): string {
  return new Date(now - daysAgo * DAY_MS).toISOString().slice(0, 10)
}

/**
 * Converts the value of a `datetime-local` field to ISO text in UTC; undefined if it is empty or
 * invalid.
 */
export function fromLocalField(value: string): string | undefined {
  if (value === "") return undefined
  const moment = new Date(value)
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString()
}

/** Converts ISO text to the value of a `datetime-local` field in the reader's time zone. */
export function toLocalField(iso: string | null | undefined): string {
  if (iso === null || iso === undefined) return ""
  const moment = new Date(iso)
  return new Date(moment.getTime() - moment.getTimezoneOffset() * MINUTE_MS)
    .toISOString()
    .slice(0, 16)
}

function unitOf(size: number): [Intl.RelativeTimeFormatUnit, number] {
  if (size < MINUTE_MS) return ["second", 1_000]
  if (size < HOUR_MS) return ["minute", MINUTE_MS]
  if (size < DAY_MS) return ["hour", HOUR_MS]
  return ["day", DAY_MS]
}

function zoneOf(style: MomentStyle): { timeZone?: string } {
  return style.timeZone === undefined ? {} : { timeZone: style.timeZone }
}
