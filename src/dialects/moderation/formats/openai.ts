import { GatewayError } from "../../../canon/errors.ts"
import type { Loss } from "../../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue, objectAt } from "../../../canon/json.ts"
import {
  type ModerationFormat,
  type ModerationInput,
  type ModerationMessage,
  type ModerationPart,
  moderatedParts,
  type ModerationRequest,
  type ModerationVerdict,
  textsOf,
  verdictCount,
} from "../../../canon/moderation.ts"
import { jsonCall, jsonOf, readForm, unusable } from "../../../canon/operation-response.ts"
import type { EncodedOperation } from "../../../canon/operation.ts"
import { NO_USAGE, type Usage } from "../../../canon/usage.ts"
import { withoutOperatorData } from "../../shared/vendor-costs.ts"
import { countOf } from "../../shared/usage.ts"

const PATH = "/moderations"
const CHAT_PATH = "/chat/moderations"
const APPROXIMATED: Loss = { name: "input", effect: "approximated" }

/**
 * Creates the format of OpenAI's `POST /moderations`.
 * @param decodeError reads the vendor's errors.
 */
export function openAiModeration(decodeError: ModerationFormat["decodeError"]): ModerationFormat {
  return {
    encode({ input, extra }, model) {
      const { input: sent, losses } = withoutContext(input)
      return { calls: [jsonCall(PATH, { ...extra, model, input: encodeInput(sent) })], losses }
    },
    decode: decodeResponse,
    usageIn,
    decodeError,
  }
}

/**
 * Creates the format of Mistral's `POST /moderations`, which accepts only texts, and `POST /chat/moderations`
 * (docs/contribute/wire/moderation.md#f3). Mistral rejects unknown fields.
 * @param decodeError reads the vendor's errors.
 */
export function mistralModeration(decodeError: ModerationFormat["decodeError"]): ModerationFormat {
  return {
    encode({ input, extra = {} }, model) {
      rejectImages(input)
      const { calls, losses } = encodeTexts(input, model)
      const dropped = Object.keys(extra).map((name): Loss => ({ name, effect: "dropped" }))
      return { calls, losses: [...dropped, ...losses] }
    },
    decode: decodeResponse,
    usageIn,
    decodeError,
  }
}

function encodeTexts(input: ModerationInput, model: string): EncodedOperation {
  if (input.type === "conversations") {
    const conversations = input.conversations.map((messages) => messages.map(encodeMessage))
    return { calls: [jsonCall(CHAT_PATH, { model, input: conversations })], losses: [] }
  }
  if (input.type === "texts") {
    return { calls: [jsonCall(PATH, { model, input: [...input.texts] })], losses: [] }
  }
  const texts = textsOf(input.parts)
  const calls = [jsonCall(PATH, { model, input: [texts.join("\n")] })]
  return { calls, losses: texts.length > 1 ? [APPROXIMATED] : [] }
}

/**
 * Rejects an input with an image. Without the image, the verdict would be about another input.
 * @throws GatewayError if the input has an image.
 */
function rejectImages(input: ModerationInput): void {
  if (moderatedParts(input).every(({ type }) => type === "text")) return
  throw notSupported("this model classifies only text. Use a model that accepts images.")
}

/**
 * Replaces each conversation with its last message.
 * @throws GatewayError if there are several conversations and one of these messages has an image.
 */
function withoutContext(input: ModerationInput): {
  readonly input: Exclude<ModerationInput, { type: "conversations" }>
  readonly losses: readonly Loss[]
} {
  if (input.type !== "conversations") return { input, losses: [] }
  const { conversations } = input
  const last = conversations.map((messages) => messages.at(-1)?.parts ?? [])
  const isWhole = conversations.every(
    (messages) => messages.length === 1 && messages[0]?.extra === undefined,
  )
  const isJoined = last.length > 1 && last.some(({ length }) => length > 1)
  const losses = isWhole && !isJoined ? [] : [APPROXIMATED]
  const [only = []] = last
  if (last.length === 1) return { input: { type: "parts", parts: only }, losses }
  if (last.flat().some(({ type }) => type !== "text")) {
    throw notSupported("this model classifies one conversation with images in a request.")
  }
  const texts = last.map((parts) => textsOf(parts).join("\n"))
  return { input: { type: "texts", texts }, losses }
}

function notSupported(reason: string): GatewayError {
  return new GatewayError("model_not_supported", `Invalid 'input': ${reason}`, {
    parameter: "input",
  })
}

function encodeInput(input: Exclude<ModerationInput, { type: "conversations" }>): JsonValue {
  return input.type === "texts" ? [...input.texts] : input.parts.map(encodePart)
}

function encodeMessage({ role, parts, extra }: ModerationMessage): JsonObject {
  const [first] = parts
  const isText = parts.length === 1 && first?.type === "text"
  return { ...extra, role, content: isText ? first.text : parts.map(encodePart) }
}

function encodePart(part: ModerationPart): JsonObject {
  return part.type === "text" ? { ...part } : { type: "image_url", image_url: { url: part.url } }
}

const decodeResponse: ModerationFormat["decode"] = (
  responses,
  { input, extra }: ModerationRequest,
) => {
  const [body = {}] = responses.map(jsonOf)
  const verdicts = readForm(extra, () => verdictsOf(body.results, verdictCount(input)))
  const tokens = tokensOf(body)
  return { verdicts, ...(tokens > 0 && { tokens }) }
}

function tokensOf(body: JsonObject): number {
  const usage = objectAt(body, "usage") ?? {}
  return countOf(usage.prompt_tokens ?? usage.total_tokens)
}

function usageIn(members: JsonObject): Usage {
  return { ...NO_USAGE, inputFresh: tokensOf(members) }
}

/**
 * Returns the verdicts.
 * @throws GatewayError `upstream_error` unless there is one verdict for each input.
 */
function verdictsOf(results: JsonValue | undefined, wanted: number): ModerationVerdict[] {
  if (!Array.isArray(results)) throw unusable("it has no results")
  if (results.length !== wanted) {
    throw unusable(`it has ${results.length} results for ${wanted} inputs`)
  }
  return results.map(verdictOf)
}

/** Returns a verdict. Mistral does not send `flagged`, so an input is flagged if one of its categories is true. */
function verdictOf(result: JsonValue): ModerationVerdict {
  const verdict = isJsonObject(result) ? result : {}
  const categories = objectAt(verdict, "categories")
  const scores = objectAt(verdict, "category_scores")
  if (!categories || !scores) throw unusable("one of its results has no categories")
  const { flagged = Object.values(categories).includes(true) } = verdict
  return {
    ...withoutOperatorData(verdict),
    flagged: flagged === true,
    categories,
    category_scores: scores,
  }
}
