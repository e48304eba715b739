/** Converts a glob with `*` and `?` to a pattern of `LIKE`. */
export function globPattern(glob: string): string {
  return starPattern(glob).replaceAll("?", "_")
}

/** Converts a glob to a pattern of `LIKE`. Only `*` is special in it. */
export function starPattern(glob: string): string {
  return glob.replace(/[\\%_]/g, "\\$&").replaceAll("*", "%")
}

/** Returns whether a filter contains a text that no row contains. PostgreSQL rejects texts with a NUL. */
export function matchesNothing(filter: object): boolean {
  return Object.values(filter)
    .flat()
    .some((value) => typeof value === "string" && value.includes("\0"))
}
