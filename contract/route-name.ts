export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** `id` of `GET /keys/{id}`, and `name` of `GET /models/{provider}/{name...}`. */
export type PathPart<Name extends string> = Name extends `${string}{${infer Part}}${infer Rest}`
  ? (Part extends `${infer Plain}...` ? Plain : Part) | PathPart<Rest>
  : never

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"]

export interface MethodAndPath {
  readonly method: Method
  readonly path: string
}

/** A path as readers and OpenAPI know it, which have no form for a part that holds slashes: `/models/{name}`. */
export function plainPath(path: string): string {
  return path.replaceAll("...}", "}")
}

/** The method and the path of a route's name. @throws Error when it is not one. */
export function methodAndPath(name: string): MethodAndPath {
  const method = METHODS.find((one) => name.startsWith(`${one} /`))
  if (method === undefined) throw new Error(`'${name}' is not the name of a route`)
  return { method, path: name.slice(method.length + 1) }
}
