/** Formats Unix milliseconds as the API does: `2026-11-21T08:00:00.000Z`. */
export function momentText(at: number): string {
  return new Date(at).toISOString()
}

/** Formats Unix milliseconds; null stays null. */
export function momentOrNull(at: number | null): string | null {
  return at === null ? null : momentText(at)
}
