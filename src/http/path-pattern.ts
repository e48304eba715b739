/*
 * Paths of routes: `/keys/{id}`. A part takes one segment; a last part `{name...}` takes all that follows, slashes
 * included.
 */

/** The named parts of a path that fits, decoded. A part that cannot be decoded stays as it is. */
export function partsOf(path: string, pathname: string): (part: string) => string {
  const parts = patternOf(path).exec(pathname)?.groups ?? {}
  return (part) => decoded(parts[part] ?? "")
}

/** Whether a path has a part that takes all that follows. */
export function isOpenEnded(path: string): boolean {
  return path.endsWith("...}")
}

/** A path as Bun's own router writes it. */
export function bunPath(path: string): string {
  return path.replace(/\{(\w+)(\.\.\.)?\}/g, (_, name: string, rest?: string) =>
    rest === undefined ? `:${name}` : "*",
  )
}

/** Matches the paths that fit, with their named parts as groups. */
export function patternOf(path: string): RegExp {
  const source = path.replace(/\{(\w+)(\.\.\.)?\}/g, (_, name, rest) =>
    rest ? `(?<${name}>.+)` : `(?<${name}>[^/]+)`,
  )
  return new RegExp(`^${source}$`)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
