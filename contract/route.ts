import * as z from "zod"

/**
 * The minimum role of a caller. `anyone` needs no session. `session` stands for any signed-in user. `viewer`, `member`
 * and `owner` are roles in the account of the route, which the service checks.
 */
export type MinimumRole = "anyone" | "session" | "viewer" | "member" | "owner" | "operator"

/** The schema of an absent input, or of an absent response body. */
const nothing = z.undefined()
export type Nothing = typeof nothing

/** Reports whether a schema means that there is no input or no response body. */
export function isNothing(schema: z.ZodType): boolean {
  return schema === nothing
}

interface Facts<Role extends MinimumRole> {
  /** A short description, such as `Give a key a new secret`. */
  readonly summary: string
  readonly minimumRole: Role
}

/** A route of the management API. Its name, such as `POST /keys/{id}/rotate`, is its key in a table. */
export interface Route<
  Role extends MinimumRole = MinimumRole,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  RouteResponse extends z.ZodType = z.ZodType,
> extends Facts<Role> {
  readonly query: Query
  readonly body: Body
  /** The schema of the response; `nothing` if the response is empty or a file. */
  readonly response: RouteResponse
}

/**
 * Routes by name: `GET /keys`, `POST /keys/{id}/rotate`. A part `{name...}` matches the rest of the
 * path.
 */
export type Routes = Readonly<Record<string, Route>>

/** Declares a route. A route without an input schema has no input. */
export function route<
  Role extends MinimumRole,
  Query extends z.ZodType = Nothing,
  Body extends z.ZodType = Nothing,
  RouteResponse extends z.ZodType = Nothing,
>(
  facts: Facts<Role> & {
    readonly query?: Query
    readonly body?: Body
    readonly response?: RouteResponse
  },
): Route<Role, Query, Body, RouteResponse>
export function route(facts: Facts<MinimumRole> & Partial<Route>): Route {
  return { query: nothing, body: nothing, response: nothing, ...facts }
}

/** A deeply read-only value: the return type of the services behind the routes. */
export type Immutable<Value> = Value extends object
  ? { readonly [Name in keyof Value]: Immutable<Value[Name]> }
  : Value
