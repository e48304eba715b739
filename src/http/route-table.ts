import type { Route } from "./server.ts"

/** A route that matches a path, or the methods that routes of this path take. */
export type Found = { readonly route: Route } | { readonly methods: readonly string[] }

interface Row {
  readonly route: Route
  readonly pattern: RegExp
}

/**
 * Routes by paths with named parts: `/keys/{id}`; `{name...}` as the last part takes the rest. The first that
 * matches counts.
 */
export class RouteTable {
  readonly #rows: readonly Row[]

  constructor(routes: readonly Route[]) {
    this.#rows = routes.map((route) => ({ route, pattern: patternOf(route.path) }))
  }

  /** @returns undefined when no route has the path. */
  find(method: string, pathname: string): Found | undefined {
    const fitting = this.#rows.filter(({ pattern }) => pattern.test(pathname))
    const read = method === "HEAD" ? "GET" : method
    const row = fitting.find(({ route }) => route.method === read)
    if (row) return { route: row.route }
    const path = fitting[0]?.route.path
    if (path === undefined) return undefined
    const same = fitting.filter(({ route }) => route.path === path)
    return { methods: same.map(({ route }) => route.method) }
  }
}

/** The named parts of a path that fits, decoded. A part that cannot be decoded stays as it is. */
export function partsOf(path: string, pathname: string): (part: string) => string {
  const parts = patternOf(path).exec(pathname)?.groups ?? {}
  return (part) => decoded(parts[part] ?? "")
}

function patternOf(path: string): RegExp {
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
