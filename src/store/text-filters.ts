/** Converts a glob with `*` and `?` to a pattern of `LIKE`. */
export function globPattern(glob: string): string {
  return starPattern(glob).replaceAll("?", "_")
}

/** Converts a glob to a pattern of `LIKE`. Only `*` has a special meaning in the glob. */
export function starPattern(glob: string): string {
  return glob.replace(/[\\%_]/g, "\\$&").replaceAll("*", "%")
}

/** Returns the pattern of `LIKE` for texts that contain a part. */
export function partPattern(part: string): string {
  return `%${part.replace(/[\\%_]/g, "\\$&")}%`
}

/** Whether a filter contains a text that no row can contain. PostgreSQL rejects text with a NUL character. */
export function matchesNothing(filter: object): boolean {
  return Object.values(filter)
    .flat()
    .some((value) => typeof value === "string" && value.includes("\0"))
}
