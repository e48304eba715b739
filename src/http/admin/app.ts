import { Hono } from "hono"
import type { Context } from "hono"
import { GatewayError } from "../../canon/errors.ts"
import type { Events } from "../../telemetry/events.ts"
import type { Idempotency } from "../idempotency/idempotency.ts"
import { newRequestId } from "../request-id.ts"
import { answerOf, failureOf } from "./answer.ts"
import type { Endpoint, Method, Visit } from "./endpoint.ts"
import type { Guard } from "./guard.ts"
import { readBody, readQuery } from "./read.ts"
import { answerOnce, isRepeatable } from "./repeatable.ts"

/*
 * The management API, `/admin/v1/*`. How it is written:
 *
 * - One file per resource. It exports `<resource>Endpoints(services): Endpoint[]`: a table from which
 *   these routes, `/openapi.json` and the test of every role are made. A row says method, path,
 *   summary, the least role, the contract's schemas for query, body and answer, and calls one service:
 *
 *     endpoint({
 *       method: "POST",
 *       path: "/keys/{id}/rotate",
 *       summary: "Give a key a new secret",
 *       least: "member",
 *       body: keyRotation,
 *       answer: keyWithSecret,
 *       handle: ({ actor, path, body }) => keys.rotate(actor, path.id, body),
 *     })
 *
 * - What comes in has been checked when `handle` is called: who asks (guard.ts), that another site does
 *   not, and query and body by their schemas (read.ts). `least: "operator"` and "somebody is signed in"
 *   are the guard's; the role in an account is the service's (`requireRole`), since only it knows
 *   whose the thing is. `openEndpoint` is for what needs no session.
 * - `handle` returns the contract's object; undefined becomes 204; a `Response` (a file, a cookie)
 *   goes out as it is. What it throws goes out in the error envelope. It writes no headers of its own.
 * - `{name...}` as the last part of a path takes the rest of it, slashes included; `method: "ANY"` does
 *   not exist: write one row for each method.
 * - Lists are pages: `query: pageQuery`, and `src/management/cursor.ts` in the service.
 */

export const ADMIN_PATH = "/admin/v1"

/** Answers a request whose path begins with `/admin/v1`. */
export type AdminHandler = (
  request: Request,
  address: string | null,
) => Response | Promise<Response>

interface Bindings {
  readonly address: string | null
}

type AdminContext = Context<{ Bindings: Bindings }>

export interface AdminServices {
  readonly guard: Guard
  readonly events: Events
  readonly idempotency: Pick<Idempotency, "answer">
}

/** The application that serves some endpoints. */
export function adminApp(endpoints: readonly Endpoint[], services: AdminServices): AdminHandler {
  const app = new Hono<{ Bindings: Bindings }>({ strict: true }).basePath(ADMIN_PATH)
  const { events } = services
  for (const endpoint of endpoints) {
    app.on(endpoint.method, routerPath(endpoint.path), (context) =>
      perform(endpoint, context, services),
    )
  }
  for (const [path, methods] of methodsOf(endpoints)) {
    app.all(path, (context) => failureOf(newRequestId(), wrongMethod(context, methods), events))
  }
  app.notFound((context) => failureOf(newRequestId(), unknownPath(context), events))
  return (request, address) => {
    // A 'host' that is none makes an address that is none.
    if (!URL.canParse(request.url)) return failureOf(newRequestId(), wrongHost(), events)
    return app.fetch(request, { address })
  }
}

async function perform(
  endpoint: Endpoint,
  context: AdminContext,
  { guard, events, idempotency }: AdminServices,
): Promise<Response> {
  const request = context.req.raw
  const { address } = context.env
  const path = context.req.param() as Record<string, string>
  try {
    const actor = await guard.admit(request, endpoint.least, address)
    const visitor = { actor, path, address }
    if (actor === undefined || !isRepeatable(endpoint, request)) {
      return await handle(endpoint, { ...visitor, request, requestId: newRequestId() }, events)
    }
    return await answerOnce({ request, actor, idempotency }, (own, id) =>
      handle(
        endpoint,
        { ...visitor, actor: { ...actor, claim: id }, request: own, requestId: id },
        events,
      ),
    )
  } catch (thrown) {
    return failureOf(newRequestId(), thrown, events)
  }
}

/** Who asks, and what has not been read yet. */
type Arrival = Omit<Visit, "query" | "body">

async function handle(endpoint: Endpoint, arrival: Arrival, events: Events): Promise<Response> {
  const { request, requestId } = arrival
  try {
    const query = endpoint.query && readQuery(new URL(request.url), endpoint.query)
    const body = endpoint.body && (await readBody(request, endpoint.body))
    return answerOf(requestId, await endpoint.handle({ ...arrival, query, body }))
  } catch (thrown) {
    return failureOf(requestId, thrown, events)
  }
}

/** `/models/{provider}/{name...}` in the router's words. */
function routerPath(path: string): string {
  return path.replace(/\{(\w+)(\.\.\.)?\}/g, (_, name, rest) => `:${name}${rest ? "{.+}" : ""}`)
}

function methodsOf(endpoints: readonly Endpoint[]): Map<string, Method[]> {
  const methods = new Map<string, Method[]>()
  for (const { path, method } of endpoints) {
    const known = methods.get(routerPath(path)) ?? []
    methods.set(routerPath(path), [...known, method])
  }
  return methods
}

function wrongMethod(context: AdminContext, methods: readonly Method[]): GatewayError {
  const allow = methods.join(", ")
  return new GatewayError(
    "method_not_allowed",
    `${context.req.path.slice(0, 200)} takes ${allow}, not ${context.req.method}.`,
    { headers: { allow } },
  )
}

function wrongHost(): GatewayError {
  return new GatewayError("invalid_value", "The header 'host' is not the name of a host.", {
    parameter: "host",
  })
}

function unknownPath(context: AdminContext): GatewayError {
  return new GatewayError(
    "not_found",
    `There is no ${context.req.method} ${context.req.path.slice(0, 200)} here. /docs lists what there is.`,
  )
}
