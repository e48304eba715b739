import type { ChatRequest } from "../../canon/chat.ts"
import type { ClientDialect } from "../../canon/dialect.ts"
import { asGatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import { ANTHROPIC_MESSAGES, decodeCountRequest } from "../../dialects/anthropic-messages/index.ts"
import { jsonAnswer } from "../answers.ts"
import { readJsonBody } from "../read-body.ts"
import { newRequestId } from "../request-id.ts"
import type { Handler } from "../server.ts"
import { type ChatEndpointServices, errorIn } from "./chat-endpoint.ts"

/** What one endpoint that counts tokens is. */
export interface CountEndpoint {
  readonly dialect: Pick<ClientDialect, "encodeError">
  /** @param path of the request, without its query. */
  read(json: JsonObject, path: string): ChatRequest
  tell(tokens: number): JsonObject
}

/** `POST /v1/messages/count_tokens` */
export const MESSAGE_TOKENS: CountEndpoint = {
  dialect: ANTHROPIC_MESSAGES,
  read: decodeCountRequest,
  tell: (tokens) => ({ input_tokens: tokens }),
}

/** Counts the tokens of a prompt: our own count, for every model; it costs nothing. */
export function tokenCounter(endpoint: CountEndpoint, services: ChatEndpointServices): Handler {
  return async function handle(request: Request): Promise<Response> {
    const id = newRequestId()
    try {
      const found = services.keyring.identify(request.headers, Date.now())
      const key = found instanceof Promise ? await found : found
      using memory = services.memory.open(key)
      const limit = services.bodyLimit()
      const { json, bytes } = await readJsonBody(request, limit, memory, services.pace)
      const counted = endpoint.read(json, new URL(request.url).pathname)
      const tokens = await services.relay.countTokens(counted, { key, bodyBytes: bytes })
      return jsonAnswer(id, endpoint.tell(tokens))
    } catch (thrown) {
      const error = asGatewayError(thrown)
      if (error.kind === "internal_error") services.events.requestFailed(id, thrown)
      return errorIn(endpoint.dialect, error, id)
    }
  }
}
