import type * as z from "zod"
import { methodAndPath, type PathPart } from "./route-name.ts"
import type { Nothing } from "./route.ts"
import type { ROUTES } from "./routes.ts"

type Table = typeof ROUTES

/** The name of a route, such as `POST /keys/{id}/rotate`. */
export type RouteName = keyof Table

type PathOf<Name extends string> = [PathPart<Name>] extends [never]
  ? { readonly path?: never }
  : { readonly path: Readonly<Record<PathPart<Name>, string>> }

type Sent<Member extends "query" | "body", Schema extends z.ZodType> = Schema extends Nothing
  ? { readonly [One in Member]?: never }
  : object extends z.input<Schema>
    ? { readonly [One in Member]?: z.input<Schema> }
    : { readonly [One in Member]: z.input<Schema> }

type Inputs = {
  readonly [Name in RouteName]: PathOf<Name> &
    Sent<"query", Table[Name]["query"]> &
    Sent<"body", Table[Name]["body"]>
}
type RouteResponses = { readonly [Name in RouteName]: z.output<Table[Name]["response"]> }

/** The input of a route: path parameters, query and body. */
export type Input<Name extends RouteName> = Inputs[Name]
/** The response of a route; undefined if the response is empty or a file. */
export type RouteResponse<Name extends RouteName> = RouteResponses[Name]

/** The names of routes that return pages of a list. */
export type PageName = {
  [Name in RouteName]: RouteResponses[Name] extends { readonly next_cursor: string | null }
    ? Name
    : never
}[RouteName]
/** One entry of a paged list. */
export type Item<Name extends PageName> = RouteResponses[Name]["data"][number]

/** The input of any route, for code that handles all routes. */
export interface AnyInput {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
}

/** Returns the path of a route under `/admin/v1`, with its parameters filled in. */
export function pathOf(name: RouteName, { path: parts = {} }: AnyInput): string {
  const { path } = methodAndPath(name)
  return path.replace(/\{(\w+)(\.\.\.)?\}/g, (_, part: string, isRest: string | undefined) => {
    const value = parts[part] ?? ""
    const chunks = isRest === undefined ? [value] : value.split("/")
    return chunks.map(encodeURIComponent).join("/")
  })
}
