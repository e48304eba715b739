import type * as z from "zod"
import { methodAndPath, type PathPart } from "#contract/route-name.ts"
import type { Immutable, MinimumRole, Nothing, Route } from "#contract/route.ts"
import type { Actor } from "../../management/actor.ts"
import type { Events } from "../../telemetry/events.ts"
import { type Auth, type Endpoint, serve } from "../endpoint.ts"
import type { Idempotency } from "../idempotency/idempotency.ts"
import { partsOf } from "../path-pattern.ts"
import type * as server from "../server.ts"
import { answerOf, errorOf, errors } from "./answer.ts"
import { type Guard, notSignedIn } from "./guard.ts"
import { checkedPart, readBody, readQuery } from "./read.ts"
import { ADMIN_PATH, takesIdempotencyKey } from "./routes.ts"
import { type AdminCaller, repeatable } from "./repeatable.ts"

/*
 * How the management API is written:
 *
 * - The package `contract/` declares every route: method and path, summary, the least role, the schemas
 *   of query, body and answer. The console's client, `/openapi.json` and the test of every role are made from it.
 * - Here stands one file for each resource. It says what its routes do, typed by what they are:
 *
 *     endpoints(keyRoutes, {
 *       "POST /keys/{id}/rotate": ({ actor, path, body }) =>
 *         keys.rotate(actor, path("id"), body.grace_seconds * 1_000),
 *     })
 *
 * - What comes in has been checked when a handler is called: who sends it (guard.ts), that another site does
 *   not, and query and body by their schemas (read.ts). `operator` and "someone is signed in" are the guard's;
 *   the role in an account is the service's (`requireRole`), since only it knows whose the thing is.
 * - A handler returns what the contract says; undefined becomes 204; a `Response` (a file, a cookie)
 *   goes out as it is. What it throws goes out in the error envelope. It writes no headers of its own.
 */

/** What a handler knows of a request. */
export interface AdminContext<Part extends string = string, Query = unknown, Body = unknown> {
  /** A named part of the path, decoded. */
  readonly path: (part: Part) => string
  readonly query: Query
  readonly body: Body
  /** As it came. Its body is read already where the route takes one. */
  readonly request: Request
  /** The network address that it came from. */
  readonly address: string | null
  /** Where trusted proxies say that it was sent to. */
  readonly origin: string | undefined
  readonly requestId: string
}

/** A request of someone who is known. */
export interface KnownContext<
  Part extends string = string,
  Query = unknown,
  Body = unknown,
> extends AdminContext<Part, Query, Body> {
  readonly actor: Actor
}

/** A request of someone who may or may not be known. */
export interface OpenContext<
  Part extends string = string,
  Query = unknown,
  Body = unknown,
> extends AdminContext<Part, Query, Body> {
  readonly actor: Actor | undefined
}

type QueryOf<One extends Route> = z.output<One["query"]>
type BodyOf<One extends Route> = z.output<One["body"]>

/** What a route answers with; a `Response` is a file, or the answer with cookies. */
type Result<One extends Route> = One["answer"] extends Nothing
  ? Response | void
  : Response | Immutable<z.input<One["answer"]>>

type KnownHandler<Name extends string, One extends Route> = (
  context: KnownContext<PathPart<Name>, QueryOf<One>, BodyOf<One>>,
) => Result<One> | Promise<Result<One>>

type OpenHandler<Name extends string, One extends Route> = (
  context: OpenContext<PathPart<Name>, QueryOf<One>, BodyOf<One>>,
) => Result<One> | Promise<Result<One>>

type KnownRoutes<Name> = { readonly [One in keyof Name]: Route<Exclude<MinimumRole, "anyone">> }
type OpenRoutes<Name> = { readonly [One in keyof Name]: Route<"anyone"> }

/** What all endpoints of the management API are served with. */
export interface AdminFrame {
  readonly guard: Guard
  readonly events: Events
  readonly idempotency: Pick<Idempotency, "answer">
  /** The address that callers use, where it is not the one it listens on. */
  readonly publicUrl: () => string | undefined
}

/** An endpoint that waits for its frame. */
export type AdminEndpoint = (frame: AdminFrame) => server.Route

/** What routes for people who are known do. */
export function endpoints<Table extends KnownRoutes<Table>>(
  table: Table,
  handlers: { readonly [Name in keyof Table]: KnownHandler<Name & string, Table[Name]> },
): AdminEndpoint[] {
  const all: AdminEndpoint[] = []
  for (const name in table) {
    const handle = handlers[name]
    all.push(
      endpoint(name, table[name], ({ actor, ...context }) => {
        if (actor === undefined) throw notSignedIn()
        return handle({ ...context, actor })
      }),
    )
  }
  return all
}

/** What routes do that need no session. */
export function openEndpoints<Table extends OpenRoutes<Table>>(
  table: Table,
  handlers: { readonly [Name in keyof Table]: OpenHandler<Name & string, Table[Name]> },
): AdminEndpoint[] {
  const all: AdminEndpoint[] = []
  for (const name in table) all.push(endpoint(name, table[name], handlers[name]))
  return all
}

function endpoint<Name extends string, One extends Route>(
  name: Name,
  route: One,
  handle: OpenHandler<Name, One>,
): AdminEndpoint {
  const { method, path: pattern } = methodAndPath(name)
  const { minimumRole } = route
  const query: One["query"] = route["query"]
  const body: One["body"] = route["body"]
  return ({ guard, events, idempotency }) => {
    const auth: Auth<AdminCaller> = async (request, connection) => ({
      actor: await guard.admit(request, minimumRole, connection),
    })
    const declared: Endpoint<AdminCaller, { query: QueryOf<One>; body: BodyOf<One> }> = {
      method,
      path: ADMIN_PATH + pattern,
      auth,
      body: async (request) => ({
        query: readQuery(new URL(request.url), query),
        body: await readBody(request, body),
      }),
      errors,
      errorOf,
      async handle({ request, connection, id, path, caller: { actor } }, sent) {
        const { address, origin } = connection
        const parts = partsOf(path, new URL(request.url).pathname)
        const part = (name: string): string => checkedPart(name, parts(name))
        const known = { actor, address, origin, path: part, request, requestId: id }
        const result = await handle({ ...known, ...sent })
        return answerOf(id, result)
      },
    }
    return takesIdempotencyKey(method, minimumRole)
      ? repeatable(declared, { events, idempotency })
      : serve(declared, events)
  }
}
