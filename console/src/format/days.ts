const DAY = 86_400_000

/** When a day of a date field begins, UTC; undefined where it is none. */
export function dayStart(day: string | undefined): string | undefined {
  const at = momentOf(day)
  return at === undefined ? undefined : new Date(at).toISOString()
}

/** When it is over: the beginning of the next one. */
export function dayEnd(day: string | undefined): string | undefined {
  const at = momentOf(day)
  return at === undefined ? undefined : new Date(at + DAY).toISOString()
}

function momentOf(day: string | undefined): number | undefined {
  if (day === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  const at = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(at) ? undefined : at
}
