export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** The path parameters of a route: `id` for `GET /keys/{id}`, `name` for `GET /models/{provider}/{name...}`. */
export type PathPart<Name extends string> = Name extends `${string}{${infer Part}}${infer Rest}`
  ? (Part extends `${infer Plain}...` ? Plain : Part) | PathPart<Rest>
  : never

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"]

export interface MethodAndPath {
  readonly method: Method
  readonly path: string
}

/** Returns a path in the syntax of OpenAPI, which has no parameters with slashes: `{name...}` becomes `{name}`. */
export function plainPath(path: string): string {
  return path.replaceAll("...}", "}")
}

/** Splits the name of a route into its method and path. @throws Error if it is not a route name. */
export function methodAndPath(name: string): MethodAndPath {
  const method = METHODS.find((one) => name.startsWith(`${one} /`))
  if (method === undefined) throw new Error(`'${name}' is not the name of a route`)
  return { method, path: name.slice(method.length + 1) }
}
