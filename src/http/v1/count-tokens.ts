import { ANTHROPIC_MESSAGES, decodeCountRequest } from "../../dialects/anthropic-messages/index.ts"
import { asGatewayError } from "../../canon/errors.ts"
import { errorHeaders, jsonAnswer } from "../answers.ts"
import { readJsonBody } from "../read-body.ts"
import { newRequestId } from "../request-id.ts"
import type { Handler } from "../server.ts"
import type { ChatEndpointServices } from "./chat-endpoint.ts"

/** `POST /v1/messages/count_tokens`: our own count, for every model; it costs nothing. */
export function countTokens(services: ChatEndpointServices): Handler {
  return async function handle(request: Request): Promise<Response> {
    const id = newRequestId()
    try {
      const found = services.keyring.identify(request.headers, Date.now())
      const key = found instanceof Promise ? await found : found
      using memory = services.memory.open(key)
      const limit = services.bodyLimit()
      const { json, bytes } = await readJsonBody(request, limit, memory, services.pace)
      const counted = decodeCountRequest(json)
      const tokens = await services.relay.countTokens(counted, { key, bodyBytes: bytes })
      return jsonAnswer(id, { input_tokens: tokens })
    } catch (thrown) {
      const error = asGatewayError(thrown)
      if (error.kind === "internal_error") services.events.requestFailed(id, thrown)
      const { status, body } = ANTHROPIC_MESSAGES.encodeError(error, id)
      return new Response(JSON.stringify(body), { status, headers: errorHeaders(error, id) })
    }
  }
}
