/** Parses the query of a URL. All values stay texts: `?token=12` is the text `12`. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

/** Formats texts as the query of a URL. Empty and absent texts are omitted. */
export function stringifySearch(search: Record<string, unknown>): string {
  const written = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === "string" && value !== "") written.set(name, value)
  }
  const text = written.toString()
  return text === "" ? "" : `?${text}`
}

/** Returns only the named texts of a query, for a route's `validateSearch`. */
export function pickTexts<Name extends string>(
  search: Record<string, unknown>,
  ...names: readonly Name[]
): { [Each in Name]?: string | undefined } {
  const picked: { [Each in Name]?: string | undefined } = {}
  for (const name of names) {
    const value = search[name]
    if (typeof value === "string" && value !== "") picked[name] = value
  }
  return picked
}
