const DAY_MS = 86_400_000

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
