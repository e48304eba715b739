import { invalidValue } from "../../canon/invalid-request.ts"
import { isDefined, type JsonObject, listAt } from "../../canon/json.ts"
import { chatShaped, OPENAI_CHAT } from "../../dialects/openai-chat/index.ts"
import { OPENAI_RESPONSES, withUnlinkedOutputs } from "../../dialects/openai-responses/index.ts"
import type { ChatEndpoint } from "./chat-endpoint.ts"

/** `POST /v1/chat/completions` */
export const CHAT_COMPLETIONS: ChatEndpoint = {
  path: "/v1/chat/completions",
  dialect: OPENAI_CHAT,
  bodyAt: (json) => chatShaped(isResponsesBody(json) ? fromResponses(json) : json),
}

/** Whether a client has sent a Responses request to this endpoint, as Cursor does for some models. */
function isResponsesBody({ messages, input }: JsonObject): boolean {
  return !isDefined(messages) && isDefined(input)
}

/** Fields of `/v1/responses` that have no equivalent in a chat completion. */
const RESPONSES_ONLY: ReadonlySet<string> = new Set(["include", "truncation", "background"])

/**
 * Converts a Responses request to a chat completion request. Tools and fields that only responses support are kept, so
 * that they are reported as losses.
 * @throws GatewayError if the request is invalid or continues a stored response.
 */
function fromResponses(json: JsonObject): JsonObject {
  for (const name of ["previous_response_id", "conversation"]) {
    if (!isDefined(json[name])) continue
    throw invalidValue(
      name,
      `Invalid value for '${name}': chat completions cannot continue a response. Use /v1/responses.`,
    )
  }
  const { stream_options: options, ...request } = withUnlinkedOutputs(json)
  const { extra, ...decoded } = OPENAI_RESPONSES.decodeRequest(request)
  const { addedTools, ...rest } = decoded
  const tools = addedTools?.all
  const { body } = OPENAI_CHAT.encodeRequest({ ...rest, ...(tools && { tools }) })
  delete body.stream_options
  if (isDefined(options)) body.stream_options = options
  for (const [name, value] of Object.entries(extra?.fields ?? {})) {
    if (name !== "tools" && !RESPONSES_ONLY.has(name)) body[name] = value
  }
  const others = [...listAt(extra?.fields ?? {}, "tools"), ...(addedTools?.others ?? [])]
  if (others.length > 0) body.tools = [...listAt(body, "tools"), ...others]
  return body
}
