/** The query of an address as texts, and nothing else: `?token=12` is the text `12`. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

/** Texts as the query of an address; what is empty or absent is left out. */
export function stringifySearch(search: Record<string, unknown>): string {
  const written = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === "string" && value !== "") written.set(name, value)
  }
  const text = written.toString()
  return text === "" ? "" : `?${text}`
}

/** Of a query, the named texts: what a route's `validateSearch` keeps. */
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
