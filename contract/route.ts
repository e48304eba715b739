import * as z from "zod"

/**
 * The minimum role of a caller. `anyone` needs no session, `session` is every user who is signed in; the next three
 * are roles in the account that the route is about, which the service checks.
 */
export type MinimumRole = "anyone" | "session" | "viewer" | "member" | "owner" | "operator"

/** The schema where a route takes nothing, or answers nothing. */
const nothing = z.undefined()
export type Nothing = typeof nothing

/** Whether a route takes nothing there, or answers nothing. */
export function isNothing(schema: z.ZodType): boolean {
  return schema === nothing
}

interface Facts<Role extends MinimumRole> {
  /** What it does, in a few words: `Give a key a new secret`. */
  readonly summary: string
  readonly minimumRole: Role
}

/** A route of the management API. Its name, such as `POST /keys/{id}/rotate`, is its key in a table. */
export interface Route<
  Role extends MinimumRole = MinimumRole,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> extends Facts<Role> {
  readonly query: Query
  readonly body: Body
  /** `nothing` where it answers nothing, or a file. */
  readonly answer: Answer
}

/** Routes by name: `GET /keys`, `POST /keys/{id}/rotate`. A part `{name...}` takes the rest of the path. */
export type Routes = Readonly<Record<string, Route>>

/** Declares a route. It takes nothing where it declares no schema. */
export function route<
  Role extends MinimumRole,
  Query extends z.ZodType = Nothing,
  Body extends z.ZodType = Nothing,
  Answer extends z.ZodType = Nothing,
>(
  facts: Facts<Role> & {
    readonly query?: Query
    readonly body?: Body
    readonly answer?: Answer
  },
): Route<Role, Query, Body, Answer>
export function route(facts: Facts<MinimumRole> & Partial<Route>): Route {
  return { query: nothing, body: nothing, answer: nothing, ...facts }
}

/** A value that is not changed any more: what services return for a route. */
export type Immutable<Value> = Value extends object
  ? { readonly [Name in keyof Value]: Immutable<Value[Name]> }
  : Value
