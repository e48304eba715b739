import { GatewayError } from "../../../canon/errors.ts"
import type { Loss } from "../../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue, objectAt } from "../../../canon/json.ts"
import {
  type ModerationFormat,
  type ModerationInput,
  type ModerationPart,
  moderatedTexts,
  type ModerationRequest,
  type ModerationVerdict,
  verdictCount,
} from "../../../canon/moderation.ts"
import { jsonCall, jsonOf, unusable } from "../../../canon/operation-answer.ts"
import { quantityOf } from "../../../canon/quantity.ts"

/** How vendors differ from OpenAI (docs/wire/moderation.md#f1). */
export interface OpenAiModerationQuirks {
  /** Whether it takes texts alone, and rejects fields that it does not know. */
  readonly textsOnly: boolean
}

/**
 * `POST /moderations` in OpenAI's format.
 * @param decodeError reads the vendor's errors.
 */
export function openAiModeration(
  decodeError: ModerationFormat["decodeError"],
  { textsOnly }: OpenAiModerationQuirks = { textsOnly: false },
): ModerationFormat {
  return {
    encode(request, model) {
      const { input, extra } = request
      return textsOnly
        ? {
            calls: [jsonCall("/moderations", { model, input: textsIn(input) })],
            losses: textLosses(request),
          }
        : {
            calls: [jsonCall("/moderations", { ...extra, model, input: inputOf(input) })],
            losses: [],
          }
    },
    decode(answers, { input }) {
      const [body = {}] = answers.map(jsonOf)
      const verdicts = verdictsOf(body.results, verdictCount(input))
      const usage = objectAt(body, "usage") ?? {}
      const tokens = quantityOf(usage.prompt_tokens ?? usage.total_tokens) ?? 0
      return { verdicts, ...(tokens > 0 && { tokens }) }
    },
    decodeError,
  }
}

function inputOf(input: ModerationInput): JsonValue {
  return input.type === "texts" ? [...input.texts] : input.parts.map(encodePart)
}

function encodePart(part: ModerationPart): JsonObject {
  return part.type === "text" ? { ...part } : { type: "image_url", image_url: { url: part.url } }
}

/**
 * The texts of an input; the parts of one input are one text.
 * @throws GatewayError if it has an image: without it, the verdict would be that of another input.
 */
function textsIn(input: ModerationInput): string[] {
  if (input.type === "texts") return [...input.texts]
  const image = input.parts.findIndex(({ type }) => type === "image")
  if (image === -1) return [moderatedTexts(input).join("\n")]
  throw new GatewayError(
    "model_not_supported",
    `Invalid 'input[${image}]': this model classifies text only. Use a model that takes images.`,
    { parameter: `input[${image}]` },
  )
}

function textLosses({ input, extra = {} }: ModerationRequest): Loss[] {
  const losses = Object.keys(extra).map((name): Loss => ({ name, effect: "dropped" }))
  const isJoined = input.type === "parts" && input.parts.length > 1
  return isJoined ? [...losses, { name: "input", effect: "approximated" }] : losses
}

/** @throws GatewayError `upstream_error` unless there is a verdict for each input. */
function verdictsOf(results: JsonValue | undefined, wanted: number): ModerationVerdict[] {
  if (!Array.isArray(results)) throw unusable("it has no results")
  if (results.length !== wanted) {
    throw unusable(`it has ${results.length} results for ${wanted} inputs`)
  }
  return results.map(verdictOf)
}

/** Mistral leaves `flagged` to its callers: an input is flagged if one of the categories is. */
function verdictOf(result: JsonValue): ModerationVerdict {
  const verdict = isJsonObject(result) ? result : {}
  const categories = objectAt(verdict, "categories")
  const scores = objectAt(verdict, "category_scores")
  if (!categories || !scores) throw unusable("a result in it has no categories")
  const { flagged = Object.values(categories).includes(true) } = verdict
  return { ...verdict, flagged: flagged === true, categories, category_scores: scores }
}
