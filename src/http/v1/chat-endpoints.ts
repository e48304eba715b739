import { invalidValue } from "../../canon/invalid-request.ts"
import { isDefined, type JsonObject, listAt } from "../../canon/json.ts"
import { OPENAI_CHAT } from "../../dialects/openai-chat/index.ts"
import { chatShaped } from "../../dialects/openai-chat/request/other-shapes.ts"
import { OPENAI_RESPONSES } from "../../dialects/openai-responses/index.ts"
import {
  COMPACTION_BYTES,
  compactionBody,
  compactionOf,
  compactOf,
  withSummaries,
} from "../../dialects/openai-responses/messages/compaction.ts"
import { withUnlinkedOutputs } from "../../dialects/openai-responses/messages/check-calls.ts"
import type { ChatEndpoint } from "./chat-endpoint.ts"
import { ANTHROPIC_MESSAGES } from "../../dialects/anthropic-messages/index.ts"
import { GEMINI } from "../../dialects/gemini/index.ts"
import { addressedBody, googlePath } from "./google-address.ts"
import type { ClientDialect } from "../../canon/dialect.ts"
import { asksFor } from "./calls.ts"

const BETA = "anthropic-beta"

const MESSAGES: ChatEndpoint = {
  path: "/v1/messages",
  dialect: ANTHROPIC_MESSAGES,
  forwarded(headers) {
    const beta = headers.get(BETA)
    return beta === null ? undefined : { [BETA]: beta }
  },
}

const RESPONSES: ChatEndpoint = {
  path: "/v1/responses",
  dialect: OPENAI_RESPONSES,
  bodyAt: (json) => withSummaries(withUnlinkedOutputs(json)),
}

const CHAT_COMPLETIONS: ChatEndpoint = {
  path: "/v1/chat/completions",
  dialect: OPENAI_CHAT,
  bodyAt: (json) => chatShaped(isResponsesBody(json) ? fromResponses(json) : json),
}

/** Whether a client has sent a Responses request to this endpoint. Cursor sends such requests for some models. */
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

/** `POST /v1beta/models/{model}:generateContent` */
export const GENERATE_CONTENT: ChatEndpoint = {
  path: googlePath("generateContent"),
  dialect: GEMINI,
  bodyAt: addressedBody,
}

/** `POST /v1beta/models/{model}:streamGenerateContent` */
export const STREAM_GENERATE_CONTENT: ChatEndpoint = {
  path: googlePath("streamGenerateContent"),
  dialect: GEMINI,
  bodyAt: addressedBody,
}

const ONE_WAY: ClientDialect = {
  ...OPENAI_RESPONSES,
  isOneWay: true,
  expresses: new Set(
    [...OPENAI_RESPONSES.expresses].filter((feature) => !feature.startsWith("output.")),
  ),
  decodeRequest: (body) => ({ ...OPENAI_RESPONSES.decodeRequest(body), stream: false }),
}

/** The variant of the endpoint that returns a compaction in OpenAI's own format, which any model can produce. */
const COMPACTION: ChatEndpoint = {
  path: "/v1/responses/compact",
  dialect: { ...ONE_WAY, encodeResult: compactionOf },
  bodyAt: (json) => compactionBody(withUnlinkedOutputs(json)),
  addedBytes: COMPACTION_BYTES,
}

/**
 * `POST /v1/responses/compact`: accepts the body of `/v1/responses` and returns only the text. `stream` in the body has
 * no effect, because the response has no chunks. The header `x-compact-format: openai` selects a compaction in OpenAI's
 * format.
 */
const RESPONSES_COMPACT: ChatEndpoint = {
  path: COMPACTION.path,
  dialect: { ...ONE_WAY, encodeResult: compactOf },
  bodyAt: (json) => withSummaries(withUnlinkedOutputs(json)),
  inForm: (headers) =>
    asksFor(headers, "x-compact-format", "text", "openai") ? COMPACTION : undefined,
}

/** The chat endpoints except Google's, whose addresses contain the model. */
export const CHAT_ENDPOINTS = [CHAT_COMPLETIONS, MESSAGES, RESPONSES, RESPONSES_COMPACT]
