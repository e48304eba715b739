import type * as z from "zod"
import type { Actor } from "../../management/actor.ts"

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/**
 * The least that somebody has to be. `anyone` needs no session, `session` is every user who is signed
 * in; the next three are roles in the account that it is about, which the service checks.
 */
export type Least = "anyone" | "session" | "viewer" | "member" | "owner" | "operator"

/** `id` of `/keys/{id}`, and `name` of `/models/{provider}/{name...}`, which takes the rest of the path. */
type NameIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Plain}...` ? Plain : Name) | NameIn<Rest>
  : never

/** What came in, of somebody who may or may not be known. */
export interface Visit<Name extends string = string, Query = unknown, Body = unknown> {
  readonly actor: Actor | undefined
  /** The named parts of the path, decoded. */
  readonly path: Readonly<Record<Name, string>>
  readonly query: Query
  readonly body: Body
  /** As it came. Its body is read already where the endpoint has a schema for it. */
  readonly request: Request
  /** The network address that it came from. */
  readonly address: string | null
  readonly requestId: string
}

/** What a known person asks. */
export interface Asked<Name extends string, Query, Body> extends Visit<Name, Query, Body> {
  readonly actor: Actor
}

/** What an endpoint is, besides what it does. `/openapi.json` says the same. */
interface Facts<Path extends string, Query, Body> {
  readonly method: Method
  /** Below `/admin/v1`: `/keys/{id}/rotate`. */
  readonly path: Path
  /** What it does, in a few words: `Give a key a new secret`. */
  readonly summary: string
  readonly least: Least
  readonly query?: Query
  readonly body?: Body
  /** What it answers; absent where it answers nothing, or a file. */
  readonly answer?: z.ZodType
}

/** One endpoint of the management API, as the application and `/openapi.json` read it. */
export interface Endpoint extends Facts<string, z.ZodType, z.ZodType> {
  /** Returns what becomes JSON, undefined for 204 without a body, or a whole response. */
  readonly handle: (visit: Visit) => unknown
}

/** An endpoint for people who are known. */
export function endpoint<
  const Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
>(
  definition: Facts<Path, Query, Body> & {
    readonly least: Exclude<Least, "anyone">
    readonly handle: (asked: Asked<NameIn<Path>, z.output<Query>, z.output<Body>>) => unknown
  },
): Endpoint {
  // The guard lets nobody in whom it does not know, and what was read fits the schemas.
  return definition as unknown as Endpoint
}

/** An endpoint that needs no session. */
export function openEndpoint<
  const Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
>(
  definition: Omit<Facts<Path, Query, Body>, "least"> & {
    readonly handle: (visit: Visit<NameIn<Path>, z.output<Query>, z.output<Body>>) => unknown
  },
): Endpoint {
  return { ...definition, least: "anyone" } as unknown as Endpoint
}
