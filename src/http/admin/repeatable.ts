import { GatewayError } from "../../canon/errors.ts"
import { type Actor, mayStill, rightsOf } from "../../management/actor.ts"
import type { Events } from "../../telemetry/events.ts"
import { type Endpoint, noBody, type Sender, serve } from "../endpoint.ts"
import { IDEMPOTENCY_KEY } from "../idempotency/fingerprint.ts"
import type { Idempotency } from "../idempotency/idempotency.ts"
import type { RepeatableRequest } from "../idempotency/repeatable-request.ts"
import type { Route } from "../server.ts"
import { notSignedIn } from "./guard.ts"

/** Maximum size of a body. The endpoints have lower limits. */
const MAX_BODY_BYTES = 1024 * 1024

/** The sender of a request. */
export interface AdminCaller extends Sender {
  readonly actor: Actor | undefined
}

export interface RepeatableServices {
  readonly events: Events
  readonly idempotency: Pick<Idempotency, "respond">
}

/**
 * Builds a route for changes. A request with an idempotency key is performed only once. One transaction contains both
 * the change and the mark that it is complete. The change can therefore not happen twice, even if the process dies.
 */
export function repeatable<Body>(
  endpoint: Endpoint<AdminCaller, Body>,
  { events, idempotency }: RepeatableServices,
): Route {
  const usual = serve(endpoint, events)
  const once = serve(
    {
      ...endpoint,
      body: noBody,
      async handle({ request, connection, caller: { actor } }) {
        // Cannot happen, because the guard rejects unauthenticated requests to these routes.
        if (actor === undefined) throw notSignedIn()
        return await idempotency.respond({
          ...repeatableOf(actor, request),
          perform: async (own, id) => {
            const claimed = { ...endpoint, auth: () => ({ actor: { ...actor, claim: id } }) }
            return await serve(claimed, events).handler(own, connection, id)
          },
        })
      },
    },
    events,
  )
  return {
    ...usual,
    handler: (request, connection) => {
      const { handler } = request.headers.has(IDEMPOTENCY_KEY) ? once : usual
      return handler(request, connection)
    },
  }
}

/**
 * Returns the repeatable request of a sender.
 * @throws GatewayError `forbidden` if the sender has fewer permissions than at the first request.
 */
function repeatableOf(actor: Actor, request: Request): Omit<RepeatableRequest, "perform"> {
  return {
    request,
    scope: `${actor.kind} ${actor.id ?? ""}`,
    rights: rightsOf(actor),
    bodyLimit: MAX_BODY_BYTES,
    admit: async ({ rights }) => {
      if (mayStill(actor, rights)) return {}
      throw new GatewayError(
        "forbidden",
        "You have fewer permissions than when you first sent this idempotency key, so its response is not shown again.",
      )
    },
    isSettled: async (_, status) => status !== undefined && status < 400,
    responseGone,
  }
}

function responseGone(request: string): GatewayError {
  return new GatewayError(
    "conflict",
    `The first request with this idempotency key, ${request}, was performed, but its response is no longer stored. It is not performed again: check the current state. To replace a secret that was only in the response, rotate or create it again with a new idempotency key.`,
    { parameter: IDEMPOTENCY_KEY, fields: { original_request_id: request } },
  )
}
