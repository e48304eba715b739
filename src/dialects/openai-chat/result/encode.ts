import { JoinedAudio } from "../../../canon/audio-pieces.ts"
import type { ChatRequest, ChatResult, Choice, SpeechOptions } from "../../../canon/chat.ts"
import { type Extra, ownFields } from "../../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import type { CallOrigin, ImagePart, ToolCallPart } from "../../../canon/message.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import { encodeChoices } from "../../shared/choices.ts"
import { prefixedId } from "../../shared/identifiers.ts"
import { logprobsOf } from "../../shared/logprobs.ts"
import { textOf } from "../../shared/text-tool.ts"
import { nowInSeconds } from "../../shared/time.ts"
import { originsOf } from "../../shared/tool-names.ts"
import { encodeCitation } from "../citations.ts"
import { encodeFinish } from "../finish.ts"
import { DIALECT, ID_PREFIX } from "../identifiers.ts"
import { encodeAudio, encodeImages } from "../media.ts"
import { type PlacedReasoning, encodeReasoning } from "../reasoning/details.ts"
import { encodeUsage } from "../usage.ts"

/**
 * Encodes a whole chat completion, with every member of OpenAI's own chat completions
 * (docs/contribute/wire/openai-chat.md#f3, docs/use/endpoints.md#chat).
 */
export function encodeResult(result: ChatResult, request: ChatRequest): JsonObject {
  const { speech } = request
  const origins = originsOf(request)
  return {
    id: prefixedId(ID_PREFIX, result.id),
    object: "chat.completion",
    created: result.created ?? nowInSeconds(),
    model: result.model ?? request.model,
    choices: encodeChoices(result.choices, (choice) => encodeChoice(choice, { origins, speech })),
    usage: encodeUsage(result.usage ?? NO_USAGE),
    // Clients of OpenRouter require this member.
    system_fingerprint: null,
    ...ownFields(DIALECT, result.extra),
  }
}

type Origins = ReadonlyMap<string, CallOrigin> | undefined

/** The parts of the request that a response depends on. */
interface Asked {
  readonly origins: Origins
  readonly speech: SpeechOptions | undefined
}

function encodeChoice(choice: Choice, asked: Asked): JsonObject {
  const { message: extraMessage, ...extra } = ownFields(DIALECT, choice.extra) ?? {}
  const message = encodeMessage(choice, asked)
  return {
    index: choice.index,
    message: isJsonObject(extraMessage) ? withFields(message, extraMessage) : message,
    // The log probabilities are converted when a choice is written, and are not stored, because many choices may have
    // many tokens.
    get logprobs() {
      return encodeLogprobs(choice.extra)
    },
    finish_reason: encodeFinish(choice.finish, message.function_call !== undefined),
    ...extra,
  }
}

/**
 * Returns the log probabilities of an extra of another dialect, as a member of a choice. Those of this dialect are
 * already among the choice's own members.
 */
export function encodeLogprobs(extra: Extra | undefined): JsonValue {
  const content = logprobsOf(extra)
  return content === undefined ? null : { content: [...content], refusal: null }
}

function encodeMessage(choice: Choice, { origins, speech }: Asked): JsonObject {
  let text: string | null = null
  let refusal: string | null = null
  const reasoning: PlacedReasoning[] = []
  const annotations: JsonValue[] = []
  const calls: JsonValue[] = []
  const images: ImagePart[] = []
  let audio: JoinedAudio | undefined
  let legacy: JsonObject | undefined
  for (const part of choice.parts) {
    switch (part.type) {
      case "text": {
        const start = text?.length ?? 0
        text = (text ?? "") + part.text
        const span = { start, end: text.length }
        for (const each of part.citations ?? []) {
          const annotation = encodeCitation(each, span)
          if (annotation !== undefined) annotations.push(annotation)
        }
        break
      }
      case "refusal":
        refusal = (refusal ?? "") + part.text
        break
      case "reasoning":
        reasoning.push(
          text === null && refusal === null && calls.length === 0
            ? { part }
            : { part, call: calls.length },
        )
        break
      case "tool-call": {
        const origin = part.origin ?? origins?.get(part.name)
        // A message can have only one call in the legacy form. Further calls use the current form.
        if (origin?.form === "legacy" && legacy === undefined) {
          legacy = { name: part.name, arguments: part.arguments }
        } else calls.push(encodeCall(part, origin))
        break
      }
      case "image":
        images.push(part)
        break
      case "audio":
        if (audio === undefined) audio = new JoinedAudio(part)
        else audio.add(part)
        break
      case "unknown": {
        const call = ownFields(DIALECT, part.extra)
        if (call !== undefined) calls.push(call)
        break
      }
      default:
    }
  }
  // If the model has no output, the content is an empty string. Null means that the model called a tool.
  const hasActed =
    calls.length > 0 || legacy !== undefined || refusal !== null || audio !== undefined
  const content = text ?? (hasActed ? null : "")
  const message: JsonObject = { role: "assistant", content, refusal }
  if (annotations.length > 0) message.annotations = annotations
  if (images.length > 0) message.images = encodeImages(images)
  if (audio !== undefined) message.audio = encodeAudio(audio.whole, speech)
  if (calls.length > 0) message.tool_calls = calls
  if (legacy !== undefined) message.function_call = legacy
  return Object.assign(message, encodeReasoning(reasoning, "reasoning_content"))
}

function encodeCall(part: ToolCallPart, origin: CallOrigin | undefined): JsonObject {
  const { id, name, arguments: written } = part
  return origin?.form === "text"
    ? {
        id,
        type: "custom",
        custom: { name, input: textOf(written) },
        ...ownFields(DIALECT, part.extra),
      }
    : {
        id,
        type: "function",
        function: { name, arguments: written },
        ...ownFields(DIALECT, part.extra),
      }
}

/**
 * Adds an extra to a message. Lists in both are joined, because some annotations come from the canon and others from
 * the extra.
 */
function withFields(message: JsonObject, extra: JsonObject): JsonObject {
  const merged = { ...message, ...extra }
  for (const [name, more] of Object.entries(extra)) {
    const own = message[name]
    if (Array.isArray(own) && Array.isArray(more)) merged[name] = [...own, ...more]
  }
  return merged
}
