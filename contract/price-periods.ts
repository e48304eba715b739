import { inEnglish, type Translate } from "./english.ts"

/** The days of a week, as named in settings and price lists. */
export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const
export type Weekday = (typeof WEEKDAYS)[number]
export const WEEKDAY_NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const

/** The times of a price period. All present members must match. */
export interface PeriodTimes {
  /** Start of the period in Unix milliseconds; no beginning if absent. */
  readonly from?: number
  /** End of the period in Unix milliseconds, exclusive; no end if absent. */
  readonly until?: number
  /** The time zone of `days` and `hours`, by its IANA name. Defaults to UTC. */
  readonly zone?: string
  /** The days on which the period applies; every day if absent. */
  readonly days?: readonly Weekday[]
  /**
   * The hours in which the period applies, such as `09:00-12:00`. The end is exclusive and at most `24:00`.
   * Defaults to the whole day.
   */
  readonly hours?: readonly string[]
}

/** The members of a period that are not prices. */
export const PERIOD_MEMBERS = ["name", "from", "until", "zone", "days", "hours"] as const

/** Describes when a period applies: `Mon-Fri, 09:00-12:00 Asia/Shanghai, until 2027-01-01`. */
export function periodWords(
  { from, until, zone = "UTC", days, hours }: PeriodTimes,
  translate: Translate = inEnglish,
): string {
  const isWeekly = days !== undefined || hours !== undefined
  const weekly = [days && daysWords(days, translate), hours?.join(", ")].filter(
    (part) => part !== undefined,
  )
  return [
    ...(isWeekly ? [`${weekly.join(", ")} ${zone}`] : []),
    ...(from === undefined ? [] : [translate("from {moment}", { moment: momentWords(from) })]),
    ...(until === undefined ? [] : [translate("until {moment}", { moment: momentWords(until) })]),
  ].join(", ")
}

/** Formats a moment such as `2027-01-01`, or with its time `2027-03-01 08:00 UTC`. */
export function momentWords(at: number): string {
  const text = new Date(at).toISOString()
  return text.endsWith("T00:00:00.000Z")
    ? text.slice(0, "YYYY-MM-DD".length)
    : `${text.slice(0, "YYYY-MM-DDTHH:MM".length).replace("T", " ")} UTC`
}

/** Formats days such as `Mon, Wed`. Three or more consecutive days become a range such as `Mon-Fri`. */
function daysWords(days: readonly Weekday[], translate: Translate): string {
  const places = WEEKDAYS.flatMap((day, place) => (days.includes(day) ? [place] : []))
  const [first = 0] = places
  const last = places.at(-1) ?? first
  const name = (place: number): string => translate(WEEKDAY_NAMES[place] ?? "")
  const isRow = places.length > 2 && last - first === places.length - 1
  return isRow ? `${name(first)}-${name(last)}` : places.map(name).join(", ")
}
