import { GatewayError } from "../../canon/errors.ts"
import { type Actor, mayStill, rightsOf } from "../../management/actor.ts"
import type { IdempotencyRecord } from "../../store/idempotency.ts"
import { IDEMPOTENCY_KEY } from "../idempotency/fingerprint.ts"
import type { Idempotency } from "../idempotency/idempotency.ts"
import type { Endpoint } from "./endpoint.ts"

/** Bytes; the endpoints themselves take less. */
const LARGEST_BODY = 1024 * 1024

/** Whether an endpoint takes idempotency keys: what changes something that is not the session itself. */
export function takesIdempotencyKey({
  method,
  least,
}: Pick<Endpoint, "method" | "least">): boolean {
  return method !== "GET" && least !== "anyone" && least !== "session"
}

/** Whether a request is to be performed once, however often it is sent. */
export function isRepeatable(endpoint: Endpoint, request: Request): boolean {
  return takesIdempotencyKey(endpoint) && request.headers.has(IDEMPOTENCY_KEY)
}

interface Asker {
  readonly request: Request
  readonly actor: Actor
  readonly idempotency: Pick<Idempotency, "answer">
}

/**
 * Performs a request of the management API with an idempotency key. What it changes is in one transaction
 * with the mark that it is done, so that not even the death of the process makes it happen twice.
 * @throws GatewayError as `Idempotency.answer` does; `forbidden` for who may do less than the first time.
 */
export function answerOnce(
  { request, actor, idempotency }: Asker,
  perform: (request: Request, id: string) => Promise<Response>,
): Promise<Response> {
  return idempotency.answer({
    request,
    scope: `${actor.kind} ${actor.id ?? ""}`,
    rights: rightsOf(actor),
    bodyLimit: LARGEST_BODY,
    perform,
    admit: async ({ rights }: IdempotencyRecord) => {
      if (mayStill(actor, rights)) return {}
      throw new GatewayError(
        "forbidden",
        "You may do less now than when you first sent this idempotency key, so its answer is not shown again.",
      )
    },
    isSettled: async (_, status) => status !== undefined && status < 400,
    answerGone,
  })
}

function answerGone(request: string): GatewayError {
  return new GatewayError(
    "conflict",
    `The first request with this idempotency key, ${request}, was carried out, but its answer is not kept. It is not carried out again: look at what is there now. A secret that was only in the answer can be replaced by rotating or making it again, with a new key.`,
    { parameter: IDEMPOTENCY_KEY, fields: { original_request_id: request } },
  )
}
