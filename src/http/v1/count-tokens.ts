import type { ServicePath } from "#contract/service-routes.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { ClientDialect } from "../../canon/dialect.ts"
import type { JsonObject } from "../../canon/json.ts"
import { invalidValue } from "../../canon/invalid-request.ts"
import { ANTHROPIC_MESSAGES } from "../../dialects/anthropic-messages/index.ts"
import { decodeCountRequest as decodeMessages } from "../../dialects/anthropic-messages/request/decode.ts"
import { OPENAI_RESPONSES } from "../../dialects/openai-responses/index.ts"
import type { ChatRelay } from "../../relay/chat/chat-relay.ts"
import { jsonResponse } from "../responses.ts"
import type { Route } from "../server.ts"
import type { Calls } from "./calls.ts"
import { errorsIn } from "./dialect-errors.ts"
import { addressedBody, type GooglePath, googlePath } from "./google-address.ts"
import { GEMINI } from "../../dialects/gemini/index.ts"
import { decodeCountRequest as decodeContents } from "../../dialects/gemini/request/decode.ts"

/** Definition of a token-counting endpoint. */
export interface CountEndpoint {
  readonly path: ServicePath | GooglePath
  readonly dialect: Pick<ClientDialect, "encodeError">
  /**
   * Decodes the request.
   * @param path path of the request, without its query.
   */
  read(json: JsonObject, path: string): ChatRequest
  report(tokens: number): JsonObject
}

export const MESSAGE_TOKENS: CountEndpoint = {
  path: "/v1/messages/count_tokens",
  dialect: ANTHROPIC_MESSAGES,
  read: decodeMessages,
  report: (tokens) => ({ input_tokens: tokens }),
}

export const RESPONSE_TOKENS: CountEndpoint = {
  path: "/v1/responses/input_tokens",
  dialect: OPENAI_RESPONSES,
  read(json) {
    const request = OPENAI_RESPONSES.decodeRequest(json)
    if (request.previousResponse === undefined) return request
    throw invalidValue(
      "previous_response_id",
      "Tokens of an earlier response are not counted here: send the whole conversation in 'input'.",
    )
  },
  report: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
}

/** `POST /v1beta/models/{model}:countTokens` */
export const CONTENT_TOKENS: CountEndpoint = {
  path: googlePath("countTokens"),
  dialect: GEMINI,
  read: (json, path) => decodeContents(addressedBody(json, path)),
  report: (tokens) => ({ totalTokens: tokens }),
}

/**
 * Builds a route that counts the tokens of a prompt. It uses the gateway's own counter for every model, and is free of
 * charge.
 */
export function tokenCounter(endpoint: CountEndpoint, calls: Calls, relay: ChatRelay): Route {
  return calls.serve({
    method: "POST",
    path: endpoint.path,
    body: calls.json({ path: endpoint.path }),
    errors: errorsIn(endpoint.dialect),
    async handle({ id, request, caller: { key } }, { json, bytes }) {
      const counted = endpoint.read(json, new URL(request.url).pathname)
      return jsonResponse(
        id,
        endpoint.report(await relay.countTokens(counted, { key, bodyBytes: bytes })),
      )
    },
  })
}
