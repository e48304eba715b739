import type { ChatRequest } from "../../../canon/chat.ts"
import { ownFields } from "../../../canon/extra.ts"
import { type JsonObject, type JsonValue, listAt, objectAt } from "../../../canon/json.ts"
import { mintId, prefixedId } from "../../shared/identifiers.ts"
import { nowInSeconds } from "../../shared/time.ts"
import { DIALECT, ID_PREFIX } from "../identifiers.ts"
import { echoTools, encodeFormat, encodeToolChoice } from "../tools/encode.ts"

/**
 * Returns the members of a request that its response repeats, which are required by OpenAI's description or that of
 * Open Responses. Absent members have OpenAI's defaults. `store` reports whether the gateway stores the response,
 * regardless of the request.
 */
export function echoOf(request: ChatRequest): JsonObject {
  const extra = ownFields(DIALECT, request.extra) ?? {}
  return {
    background: false,
    frequency_penalty: request.frequencyPenalty ?? 0,
    instructions: instructionsOf(request),
    max_output_tokens: request.maxTokens ?? null,
    max_tool_calls: extra.max_tool_calls ?? null,
    metadata: { ...request.metadata },
    parallel_tool_calls: request.parallelToolCalls ?? true,
    presence_penalty: request.presencePenalty ?? 0,
    previous_response_id: request.previousResponse ?? request.continued ?? null,
    prompt_cache_key: request.promptCacheKey ?? null,
    reasoning: {
      effort: request.reasoning?.effort ?? null,
      summary: request.reasoning?.summary ?? null,
      ...objectAt(extra, "reasoning"),
    },
    safety_identifier: request.safetyIdentifier ?? null,
    service_tier: tierOf(request),
    store: request.isKept ?? false,
    temperature: request.temperature ?? 1,
    text: textOf(request, extra),
    tool_choice: choiceOf(request, extra),
    tools: [...echoTools(request.tools ?? []), ...listAt(extra, "tools")],
    top_logprobs: request.topLogprobs ?? 0,
    top_p: request.topP ?? 1,
    truncation: extra.truncation ?? "disabled",
    ...(request.user === undefined ? {} : { user: request.user }),
  }
}

/** Returns the text of the first system message, whether or not it was sent as instructions. */
function instructionsOf({ messages }: ChatRequest): string | null {
  const first = messages[0]
  if (first?.role !== "system") return null
  return first.parts.map((part) => (part.type === "text" ? part.text : "")).join("")
}

/** Returns the service tier of the response. It is never `auto`, because a response names the tier that was used. */
function tierOf({ serviceTier }: ChatRequest): string {
  return serviceTier === undefined || serviceTier === "auto" ? "default" : serviceTier
}

function textOf({ responseFormat, verbosity }: ChatRequest, extra: JsonObject): JsonObject {
  return {
    format: encodeFormat(responseFormat ?? { type: "text" }),
    ...(verbosity === undefined ? {} : { verbosity }),
    ...objectAt(extra, "text"),
  }
}

function choiceOf({ toolChoice, tools }: ChatRequest, extra: JsonObject): JsonValue {
  if (toolChoice !== undefined) return encodeToolChoice(toolChoice, tools)
  return extra.tool_choice ?? "auto"
}

/**
 * Returns the id of a response. A vendor's own id is only used if the gateway does not store the response, because some
 * vendors count their ids from one.
 */
export function responseId(request: ChatRequest, id: string | undefined): string {
  return request.isKept === true ? mintId(ID_PREFIX) : prefixedId(ID_PREFIX, id)
}

/** The content of a response, and its state. */
export interface ResponseContent {
  readonly id: string
  readonly createdAt: number
  readonly model: string
  readonly status: "in_progress" | "completed" | "incomplete" | "failed"
  readonly output: JsonObject[]
  readonly usage: JsonObject | null
  readonly incomplete?: JsonObject | null
  readonly error?: JsonObject
}

/** Encodes a response with every member that OpenAI's description or Open Responses' description requires. */
export function encodeResponse(response: ResponseContent, echo: JsonObject): JsonObject {
  return {
    id: response.id,
    object: "response",
    created_at: response.createdAt,
    status: response.status,
    completed_at: response.status === "completed" ? nowInSeconds() : null,
    error: response.error ?? null,
    incomplete_details: response.incomplete ?? null,
    model: response.model,
    output: response.output,
    usage: response.usage,
    ...echo,
  }
}
