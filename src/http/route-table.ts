import { patternOf } from "./path-pattern.ts"
import type { Route } from "./server.ts"

/** The route of a method and path, or else the routes of the same path with other methods. */
export type Found = { readonly route: Route } | { readonly allowed: readonly [Route, ...Route[]] }

interface Row {
  readonly route: Route
  readonly pattern: RegExp
}

/** Routes by method and path. The first route that matches is used. */
export class RouteTable {
  readonly #rows: readonly Row[]

  constructor(routes: readonly Route[]) {
    this.#rows = routes.map((route) => ({ route, pattern: patternOf(route.path) }))
  }

  /**
   * Finds the route of a request.
   * @returns undefined if no route has the path.
   */
  find(method: string, pathname: string): Found | undefined {
    const fitting = this.#rows.filter(({ pattern }) => pattern.test(pathname))
    const read = method === "HEAD" ? "GET" : method
    const row = fitting.find(({ route }) => route.method === read)
    if (row) return { route: row.route }
    const [first, ...others] = fitting.map(({ route }) => route)
    return first === undefined ? undefined : { allowed: [first, ...others] }
  }

  /** Whether a route has the path, with any method. */
  has(pathname: string): boolean {
    return this.#rows.some(({ pattern }) => pattern.test(pathname))
  }
}
