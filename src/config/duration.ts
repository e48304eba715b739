const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

type Unit = keyof typeof UNITS

const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/

/**
 * Parses a duration such as `500ms`, `90s`, `15m`, `24h` or `30d`.
 * @returns whole milliseconds, or undefined if the text is not a duration.
 */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text.trim())
  if (!match) return undefined
  const milliseconds = Math.round(Number(match[1]) * UNITS[match[2] as Unit])
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined
}

/** Formats milliseconds as the shortest duration. */
export function writeDuration(milliseconds: number): string {
  for (const unit of ["h", "m", "s"] as const) {
    if (milliseconds % UNITS[unit] === 0) return `${milliseconds / UNITS[unit]}${unit}`
  }
  return `${milliseconds}ms`
}
