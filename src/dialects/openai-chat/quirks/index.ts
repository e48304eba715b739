import type { JsonObject } from "../../../canon/json.ts"
import type { SeparateReasoning } from "../../../canon/separate-reasoning.ts"
import type { ClosedSchema } from "./closed-schema.ts"

/** Departures of one vendor's API from OpenAI's. Data: the vendors' table has one per vendor. */
export interface OpenAiChatQuirks {
  /** The field for the output limit, if the gateway writes one. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens"
  /** Whether the vendor rejects the other one, so that a caller's field has to be renamed. */
  readonly maxTokensFieldOnly: boolean
  /** The field in which the vendor reads reasoning of earlier turns. */
  readonly reasoningField: "reasoning_content" | "reasoning"
  /**
   * The reasoning of earlier turns that is sent: nothing; its text; or its text with OpenRouter's signed
   * `reasoning_details` (docs/contribute/wire/openai-chat.md#f24).
   */
  readonly reasoningHistory: "drop" | "text" | "details"
  /** `always`: usage is sent by default and `stream_options` is rejected, so it must not be sent. */
  readonly usageInStream: "ask" | "always"
  /** Whether `usage` is an option of a request (OpenRouter's); elsewhere it is left out. */
  readonly usageOption: boolean
  /** The role of the operator's instructions, for vendors that support only the older one. */
  readonly developerRole: "developer" | "system"
  /** Set if the output limit does not bound the reasoning, so that reasoning needs its own budget. */
  readonly separateReasoning?: SeparateReasoning
  /** The name of the seed: Mistral's is `random_seed`. */
  readonly seedField: "seed" | "random_seed"
  /**
   * The vendor's form of the reasoning options: `reasoning_effort`; or OpenRouter's object `reasoning`, which
   * also has a budget in tokens.
   */
  readonly reasoningForm: "effort" | "object"
  /** Whether `cache_control` is accepted on content parts and on tools. */
  readonly cacheControl: boolean
  /** Whether an assistant's message may have `images`, as OpenRouter writes them. */
  readonly assistantImages: boolean
  /** Whether `image_config` sets the shape of images in the answer. */
  readonly imageConfig: boolean
  /** Whether a file may be a link. */
  readonly fileUrls: boolean
  /** Whether `top_k` is supported; not by OpenAI. */
  readonly topK: boolean
  /** Mistral accepts only ids of nine letters and digits; others are mapped, always to the same. */
  readonly toolCallIds: "any" | "nine-characters"
  /** Maximum choices per request; more take several calls, as do all if the vendor may ignore `n`. */
  readonly maxChoices: number
  /** Whether text tools are supported; else they are sent as functions. */
  readonly customTools: boolean
  /** Top-level fields that the vendor rejects. Each one dropped is a loss. */
  readonly dropFields: readonly string[]
  /** Set if unknown members are rejected, not ignored. */
  readonly closedSchema?: ClosedSchema
  /** Maximum stop sequences per request. */
  readonly stops: number
  /** Whether the vendor is known to end the text before a sequence. */
  readonly cutsStops: boolean
  /** Whether an answer names the stop sequence that ended it; OpenAI's does not. */
  readonly reportsStop: boolean
  /** The highest temperature accepted; a higher one is lowered to it, which is a loss. */
  readonly maxTemperature?: number
  /**
   * Top-level fields that are sent unless the request has them: a temperature of 1, which callers expect, if the
   * vendor's default is another.
   */
  readonly defaultFields?: JsonObject
}

/** OpenAI's own API. */
export const OPENAI_QUIRKS: OpenAiChatQuirks = Object.freeze({
  maxTokensField: "max_completion_tokens",
  maxTokensFieldOnly: false,
  reasoningField: "reasoning_content",
  reasoningHistory: "drop",
  usageInStream: "ask",
  usageOption: false,
  developerRole: "developer",
  seedField: "seed",
  reasoningForm: "effort",
  cacheControl: false,
  assistantImages: false,
  imageConfig: false,
  fileUrls: false,
  topK: false,
  toolCallIds: "any",
  maxChoices: 128,
  cutsStops: true,
  customTools: true,
  stops: 4,
  reportsStop: false,
  dropFields: Object.freeze([]),
})
