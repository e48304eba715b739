import { JoinedAudio } from "../../../canon/audio-pieces.ts"
import type { ChatRequest, ChatResult, Choice, SpeechOptions } from "../../../canon/chat.ts"
import { type Extra, ownFields } from "../../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import type { CallOrigin, ImagePart, ToolCallPart } from "../../../canon/message.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import { encodeChoices } from "../../shared/choices.ts"
import { prefixedId } from "../../shared/identifiers.ts"
import { logprobsOf } from "../../shared/logprobs.ts"
import { textOf } from "../../shared/text-reader.ts"
import { nowInSeconds } from "../../shared/time.ts"
import { originsOf } from "../../shared/tool-names.ts"
import { encodeCitation } from "../citations.ts"
import { encodeFinish } from "../finish.ts"
import { DIALECT, ID_PREFIX } from "../identifiers.ts"
import { encodeAudio, encodeImages } from "../media.ts"
import type { PlacedReasoning } from "../reasoning/details.ts"
import { encodeReasoning } from "../reasoning/text.ts"
import { encodeUsage } from "../usage.ts"

/** A whole chat completion, with every member of OpenAI's own (docs/contribute/wire/openai-chat.md#f3, docs/use/endpoints.md#chat). */
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
    // OpenRouter's clients require it.
    system_fingerprint: null,
    ...ownFields(DIALECT, result.extra),
  }
}

type Origins = ReadonlyMap<string, CallOrigin> | undefined

/** The parts of the request that an answer depends on. */
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
    // Converted when it is written, a choice at a time, and not kept: there may be many choices with many tokens.
    get logprobs() {
      return encodeLogprobs(choice.extra)
    },
    finish_reason: encodeFinish(choice.finish, message.function_call !== undefined),
    ...extra,
  }
}

/** Returns the extras as members of a choice; those of this dialect are among its own members. */
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
        // A message can have one call in the legacy form; further ones use the current form.
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
  // A model without output has empty text: null is for a model that acted.
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

/** Lists present in both are joined: some annotations are the canon's and some are not. */
function withFields(message: JsonObject, extra: JsonObject): JsonObject {
  const merged = { ...message, ...extra }
  for (const [name, more] of Object.entries(extra)) {
    const own = message[name]
    if (Array.isArray(own) && Array.isArray(more)) merged[name] = [...own, ...more]
  }
  return merged
}
