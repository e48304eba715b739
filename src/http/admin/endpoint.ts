import type * as z from "zod"
import { methodAndPath, type PathPart } from "#contract/route-name.ts"
import type { Immutable, MinimumRole, Nothing, Route } from "#contract/route.ts"
import type { Actor } from "../../management/actor.ts"
import type { Events } from "../../telemetry/events.ts"
import { type Auth, type Endpoint, serve } from "../endpoint.ts"
import type { Idempotency } from "../idempotency/idempotency.ts"
import { partsOf } from "../path-pattern.ts"
import type * as server from "../server.ts"
import type { MemoryBudget } from "../../limits/memory-budget.ts"
import { responseOf, errorOf, errors } from "./response.ts"
import { endOf } from "./download-response.ts"
import { type Guard, notSignedIn } from "./guard.ts"
import { checkedPart, readBody, readQuery } from "./read.ts"
import type { PersonLimits } from "./person-limits.ts"
import { ADMIN_PATH, takesIdempotencyKey } from "./routes.ts"
import { type AdminCaller, repeatable } from "./repeatable.ts"

/*
 * Structure of the management API:
 *
 * - The package `contract/` declares every route: method and path, summary, minimum role, and the schemas of query,
 *   body and response. The console's client, `/openapi.json` and the role tests are generated from it.
 * - This folder has one file per resource, which maps its routes to typed handlers:
 *
 *     endpoints(keyRoutes, {
 *       "POST /keys/{id}/rotate": ({ actor, path, body }) =>
 *         keys.rotate(actor, path("id"), body.grace_seconds * 1_000),
 *     })
 *
 * - Before a handler is called, the guard authenticates the sender and rejects cross-site requests (guard.ts), and
 *   query and body are validated by their schemas (read.ts). The guard checks `operator` and that a user is signed
 *   in. The service checks the role in an account (`requireRole`), since it loads the object and its account.
 * - A handler returns the response of the contract. undefined becomes 204, and a `Response` (a file, a cookie) is
 *   sent unchanged. Exceptions become the error envelope. Handlers do not set headers.
 */

/** The data of a request that a handler receives. */
export interface AdminContext<Part extends string = string, Query = unknown, Body = unknown> {
  /** Returns a named part of the path, with percent-encoding removed. */
  readonly path: (part: Part) => string
  readonly query: Query
  readonly body: Body
  /** The original request. Its body has already been read if the route has a body. */
  readonly request: Request
  /** The network address of the client. */
  readonly address: string | null
  /** The origin of the request as reported by trusted proxies. */
  readonly origin: string | undefined
  readonly requestId: string
}

/** The data of an authenticated request. */
export interface AuthenticatedContext<
  Part extends string = string,
  Query = unknown,
  Body = unknown,
> extends AdminContext<Part, Query, Body> {
  readonly actor: Actor
}

/** The data of a request that may be unauthenticated. */
export interface OpenContext<
  Part extends string = string,
  Query = unknown,
  Body = unknown,
> extends AdminContext<Part, Query, Body> {
  readonly actor: Actor | undefined
}

type QueryOf<One extends Route> = z.output<One["query"]>
type BodyOf<One extends Route> = z.output<One["body"]>

/** The result type of a route. A `Response` is a file or sets cookies. */
type Result<One extends Route> = One["response"] extends Nothing
  ? Response | void
  : Response | Immutable<z.input<One["response"]>>

type AuthenticatedHandler<Name extends string, One extends Route> = (
  context: AuthenticatedContext<PathPart<Name>, QueryOf<One>, BodyOf<One>>,
) => Result<One> | Promise<Result<One>>

type OpenHandler<Name extends string, One extends Route> = (
  context: OpenContext<PathPart<Name>, QueryOf<One>, BodyOf<One>>,
) => Result<One> | Promise<Result<One>>

type AuthenticatedRoutes<Name> = {
  readonly [One in keyof Name]: Route<Exclude<MinimumRole, "anyone">>
}
type OpenRoutes<Name> = { readonly [One in keyof Name]: Route<"anyone"> }

/** Shared dependencies of all management endpoints. */
export interface AdminFrame {
  readonly guard: Guard
  readonly events: Events
  readonly idempotency: Pick<Idempotency, "respond">
  /** The memory budget of all requests. A long response reserves a part of it until the response is sent. */
  readonly memory: MemoryBudget
  readonly limits: PersonLimits
  /** The public address, if it differs from the listening address. */
  readonly publicUrl: () => string | undefined
}

/** Builds an endpoint with its shared dependencies. */
export type AdminEndpoint = (frame: AdminFrame) => server.Route

/** Builds endpoints that require authentication. */
export function endpoints<Table extends AuthenticatedRoutes<Table>>(
  table: Table,
  handlers: { readonly [Name in keyof Table]: AuthenticatedHandler<Name & string, Table[Name]> },
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

/** Builds endpoints that require no session. */
export function openEndpoints<Table extends OpenRoutes<Table>>(
  table: Table,
  handlers: { readonly [Name in keyof Table]: OpenHandler<Name & string, Table[Name]> },
): AdminEndpoint[] {
  const all: AdminEndpoint[] = []
  for (const name in table) all.push(endpoint(name, table[name], handlers[name]))
  return all
}

/**
 * Returns the ids under which the requests of an actor and their memory are counted. The members of an account share
 * its memory, so that an account cannot take all memory by inviting people.
 */
function personOf({ kind, id: user, roles }: Actor): {
  readonly id: string
  readonly account: string
} {
  const id = `${kind} ${user ?? ""}`
  const [account = id] = roles.keys()
  return { id, account }
}

/** Whether a request searches texts of stored records. */
function isSearch(query: unknown): boolean {
  return (
    typeof query === "object" && query !== null && "search" in query && query.search !== undefined
  )
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
  return ({ guard, events, idempotency, memory, limits }) => {
    const auth: Auth<AdminCaller> = async (request, connection) => {
      const actor = await guard.admit(request, minimumRole, connection)
      if (actor === undefined) return { actor }
      return { actor, memory: memory.open(personOf(actor)) }
    }
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
      async handle({ request, connection, id, path, caller }, sent) {
        const { actor, memory: held } = caller
        const { address, origin } = connection
        const parts = partsOf(path, new URL(request.url).pathname)
        const part = (name: string): string => checkedPart(name, parts(name))
        const known = { actor, address, origin, path: part, request, requestId: id }
        const person = actor?.kind === "user" ? personOf(actor) : undefined
        const handled = async () => handle({ ...known, ...sent })
        const run = async () => {
          await limits.turn()
          const result =
            person !== undefined && isSearch(sent.query)
              ? await limits.search(person, handled)
              : await handled()
          await limits.turn()
          return { response: responseOf(id, result, held), end: endOf(result, request) }
        }
        const { response } = person === undefined ? await run() : await limits.run(person.id, run)
        return response
      },
    }
    return takesIdempotencyKey(method, minimumRole)
      ? repeatable(declared, { events, idempotency })
      : serve(declared, events)
  }
}
