import { asGatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { Keyring } from "../../keys/keyring.ts"
import type { Call } from "../../relay/pipeline/call.ts"
import type { Contents } from "../../relay/pipeline/contents.ts"
import type { Events } from "../../telemetry/events.ts"
import type { MemoryBudget, Reservation } from "../../limits/memory-budget.ts"
import { type ErrorAnswer, errorAnswer, textHeaders } from "../answers.ts"
import { heldAnswer } from "../held-answer.ts"
import type { Pace } from "../incoming-body.ts"
import { readJsonBody } from "../read-body.ts"
import { newRequestId } from "../request-id.ts"
import type { Handler } from "../server.ts"
import { wishOf } from "./chat-endpoint.ts"

export interface JsonOperationServices {
  readonly keyring: Keyring
  readonly events: Events
  readonly contents: Contents
  readonly memory: MemoryBudget
  /** Bytes. */
  readonly bodyLimit: () => number
  readonly pace?: Pace
}

/** What goes back, once it is paid for. */
export interface JsonOperationAnswer {
  readonly json: JsonObject
  readonly headers: Readonly<Record<string, string>>
}

/**
 * An endpoint that takes JSON and answers with JSON.
 * @param tellError in OpenAI's envelope where none is given.
 */
export function jsonOperation(
  path: string,
  services: JsonOperationServices,
  serve: (call: Call, body: JsonObject, request: Request) => Promise<JsonOperationAnswer>,
  tellError: ErrorAnswer = errorAnswer,
): Handler {
  return async function handle(request, waitLong, id = newRequestId()) {
    let memory: Reservation | undefined
    try {
      const receivedAt = Date.now()
      const startedAt = performance.now()
      const found = services.keyring.identify(request.headers, receivedAt)
      const key = found instanceof Promise ? await found : found
      memory = services.memory.open(key)
      const limit = services.bodyLimit()
      const { json, bytes } = await readJsonBody(request, limit, memory, services.pace)
      waitLong()
      const known = { id, key, endpoint: path, bodyBytes: bytes, receivedAt, startedAt, memory }
      const call = callOf(known, request.headers)
      const answer = await serve(call, json, request)
      services.contents.keep(call, json)
      const headers = textHeaders(id, answer.headers)
      return heldAnswer({ headers, body: JSON.stringify(answer.json) }, memory)
    } catch (thrown) {
      memory?.[Symbol.dispose]()
      const error = asGatewayError(thrown)
      if (error.kind === "internal_error") services.events.requestFailed(id, thrown)
      return tellError(error, id)
    }
  }
}

/** A request with what its headers wish for. @throws GatewayError `invalid_value`. */
export function callOf(
  known: Omit<Call, "refuseOnLowBalance" | "isStrict">,
  headers: Headers,
): Call {
  return {
    ...known,
    refuseOnLowBalance: wishOf(headers, "x-tollgate-on-low-balance", "clamp", "refuse"),
    isStrict: wishOf(headers, "x-tollgate-strict", "false", "true"),
  }
}
