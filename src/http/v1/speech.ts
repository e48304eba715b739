import { asGatewayError } from "../../canon/errors.ts"
import { decodeSpeech } from "../../dialects/speech/request.ts"
import type { Speaking } from "../../relay/operations/speech/speech.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import { errorAnswer } from "../answers.ts"
import { heldAnswer } from "../held-answer.ts"
import { readJsonBody } from "../read-body.ts"
import { newRequestId } from "../request-id.ts"
import type { Handler } from "../server.ts"
import { callOf, type JsonOperationServices } from "./json-operation.ts"

export interface SpeechServices extends JsonOperationServices {
  readonly speaking: Speaking
}

/** `POST /v1/audio/speech` */
export const SPEECH_PATH = "/v1/audio/speech"

/** Speaks a text; the sound goes out as it comes in. */
export function speech(services: SpeechServices): Handler {
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
      const known = {
        id,
        key,
        endpoint: SPEECH_PATH,
        bodyBytes: bytes,
        receivedAt,
        startedAt,
        memory,
      }
      const call = callOf(known, request.headers)
      const { headers, body } = await services.speaking.speak(call, decodeSpeech(json), request)
      services.contents.keep(call, json)
      const ids = { "x-request-id": id, "request-id": id }
      return heldAnswer({ headers: { ...headers, ...ids }, body }, memory)
    } catch (thrown) {
      memory?.[Symbol.dispose]()
      const error = asGatewayError(thrown)
      if (error.kind === "internal_error") services.events.requestFailed(id, thrown)
      return errorAnswer(error, id)
    }
  }
}
