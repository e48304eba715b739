import { GatewayError } from "../../canon/errors.ts"
import { type Actor, mayStill, rightsOf } from "../../management/actor.ts"
import type { Events } from "../../telemetry/events.ts"
import { type Endpoint, noBody, type Sender, serve } from "../endpoint.ts"
import { IDEMPOTENCY_KEY } from "../idempotency/fingerprint.ts"
import type { Idempotency } from "../idempotency/idempotency.ts"
import type { RepeatableRequest } from "../idempotency/repeatable-request.ts"
import type { Route } from "../server.ts"
import { notSignedIn } from "./guard.ts"

/** Bytes; the endpoints themselves take less. */
const LARGEST_BODY = 1024 * 1024

/** Who sends the request. */
export interface AdminCaller extends Sender {
  readonly actor: Actor | undefined
}

export interface RepeatableServices {
  readonly events: Events
  readonly idempotency: Pick<Idempotency, "answer">
}

/**
 * An endpoint that changes something: a request with an idempotency key is performed once, however often it is
 * sent. What it changes is in one transaction with the mark that it is done, so that not even the death of the
 * process makes it happen twice.
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
        // It needs a session, so the guard lets no one in whom it does not know.
        if (actor === undefined) throw notSignedIn()
        return await idempotency.answer({
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

/** @throws GatewayError `forbidden` for who may do less than the first time. */
function repeatableOf(actor: Actor, request: Request): Omit<RepeatableRequest, "perform"> {
  return {
    request,
    scope: `${actor.kind} ${actor.id ?? ""}`,
    rights: rightsOf(actor),
    bodyLimit: LARGEST_BODY,
    admit: async ({ rights }) => {
      if (mayStill(actor, rights)) return {}
      throw new GatewayError(
        "forbidden",
        "You may do less now than when you first sent this idempotency key, so its answer is not shown again.",
      )
    },
    isSettled: async (_, status) => status !== undefined && status < 400,
    answerGone,
  }
}

function answerGone(request: string): GatewayError {
  return new GatewayError(
    "conflict",
    `The first request with this idempotency key, ${request}, was carried out, but its answer is not kept. It is not carried out again: check what exists now. A secret that was only in the answer can be replaced by rotating or making it again, with a new key.`,
    { parameter: IDEMPOTENCY_KEY, fields: { original_request_id: request } },
  )
}
