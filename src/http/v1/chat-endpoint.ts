import type { ClientDialect } from "../../canon/dialect.ts"
import { asGatewayError, GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { Keyring } from "../../keys/keyring.ts"
import type { Relay } from "../../relay/chat/relay.ts"
import type { Events } from "../../telemetry/events.ts"
import type { MemoryBudget, Reservation } from "../../limits/memory-budget.ts"
import { errorHeaders } from "../answers.ts"
import { heldAnswer } from "../held-answer.ts"
import type { Pace } from "../incoming-body.ts"
import { readJsonBody } from "../read-body.ts"
import { newRequestId } from "../request-id.ts"
import type { Handler } from "../server.ts"

export interface ChatEndpointServices {
  readonly keyring: Keyring
  readonly relay: Relay
  readonly events: Events
  readonly memory: MemoryBudget
  /** Bytes. */
  readonly bodyLimit: () => number
  readonly pace?: Pace
}

/** What one endpoint for chat is. */
export interface ChatEndpoint {
  readonly path: string
  readonly dialect: ClientDialect
  /**
   * The body as the dialect reads it: where the address says a part of the request, or the body holds
   * what only the gateway can read.
   * @param url of the request, or its path.
   */
  bodyAt?(json: JsonObject, url: string): JsonObject
  /** How many bytes `bodyAt` adds at most; absent: none. */
  readonly addedBytes?: number
  /** The endpoint that answers instead where a header asks for another form. @throws GatewayError */
  inForm?(headers: Headers): ChatEndpoint | undefined
  /** Headers of the caller's that a vendor of the same dialect is to see too. */
  forwarded?(headers: Headers): Readonly<Record<string, string>> | undefined
}

/** Answers chat requests in one dialect. */
export function chatEndpoint(usual: ChatEndpoint, services: ChatEndpointServices): Handler {
  const { path } = usual
  return async function handle(request, waitLong, id = newRequestId()) {
    let memory: Reservation | undefined
    try {
      const receivedAt = Date.now()
      const startedAt = performance.now()
      const { headers } = request
      const endpoint = usual.inForm?.(headers) ?? usual
      const found = services.keyring.identify(headers, receivedAt)
      const key = found instanceof Promise ? await found : found
      memory = services.memory.open(key)
      const limit = services.bodyLimit()
      const { json, bytes } = await readJsonBody(request, limit, memory, services.pace)
      waitLong()
      const call = {
        id,
        key,
        endpoint: path,
        body: endpoint.bodyAt ? endpoint.bodyAt(json, request.url) : json,
        bodyBytes: bytes + (endpoint.addedBytes ?? 0),
        receivedAt,
        startedAt,
        refuseOnLowBalance: wishOf(headers, "x-tollgate-on-low-balance", "clamp", "refuse"),
        isStrict: wishOf(headers, "x-tollgate-strict", "false", "true"),
        memory,
        forwarded: endpoint.forwarded?.(headers),
      }
      const answer = await services.relay.chat(endpoint.dialect, call, request)
      answer.headers["x-request-id"] = id
      answer.headers["request-id"] = id
      return heldAnswer(answer, memory)
    } catch (thrown) {
      memory?.[Symbol.dispose]()
      const error = asGatewayError(thrown)
      if (error.kind === "internal_error") services.events.requestFailed(id, thrown)
      return errorIn(usual.dialect, error, id)
    }
  }
}

/** An error in the words of a dialect. */
export function errorIn(
  dialect: Pick<ClientDialect, "encodeError">,
  error: GatewayError,
  id: string,
): Response {
  const { status, body } = dialect.encodeError(error, id)
  return new Response(JSON.stringify(body), { status, headers: errorHeaders(error, id) })
}

/** Whether a header asks for what it usually does not. */
export function wishOf(headers: Headers, name: string, usual: string, asked: string): boolean {
  const wish = headers.get(name)
  if (wish === null || wish === usual) return false
  if (wish === asked) return true
  throw new GatewayError("invalid_value", `The header '${name}' takes '${usual}' or '${asked}'.`, {
    parameter: name,
  })
}
