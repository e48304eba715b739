/*
 * Route paths such as `/keys/{id}`. A part matches one segment. A final part `{name...}` matches the rest, including
 * slashes.
 */

/**
 * Returns a function that returns the named parts of a matching path, with percent-encoding removed. Invalid encodings
 * stay unchanged.
 */
export function partsOf(path: string, pathname: string): (part: string) => string {
  const parts = patternOf(path).exec(pathname)?.groups ?? {}
  return (part) => decoded(parts[part] ?? "")
}

/** Whether a path ends in a part that matches the rest of a path. */
export function isOpenEnded(path: string): boolean {
  return path.endsWith("...}")
}

/** Converts a path to the syntax of Bun's router. */
export function bunPath(path: string): string {
  return path.replace(/\{(\w+)(\.\.\.)?\}/g, (_, name: string, rest?: string) =>
    rest === undefined ? `:${name}` : "*",
  )
}

/** Returns a regular expression for a path, with named parts as groups. */
export function patternOf(path: string): RegExp {
  const source = path.replace(/\{(\w+)(\.\.\.)?\}/g, (_, name, rest) =>
    rest ? `(?<${name}>.+)` : `(?<${name}>[^/]+)`,
  )
  return new RegExp(`^${source}$`)
}

/** Decodes a part of a path. An invalid encoding stays unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
