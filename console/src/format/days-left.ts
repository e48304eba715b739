import { t } from "../languages/text.ts"

/** Longer times are shown as "over a year". */
const YEAR = 365

/** Formats the days until a balance is used up: `empty`, `12 days`. */
export function daysLeftText(days: number | null): string {
  if (days === null) return "–"
  if (days === 0) return t("empty")
  if (days < 1) return t("less than a day")
  return days > YEAR
    ? t("over a year")
    : t("{days, plural, one {# day} other {# days}}", { days: Math.floor(days) })
}

/** Reports whether the balance needs attention soon. */
export function isRunningDry(days: number | null): boolean {
  return days !== null && days < 7
}
