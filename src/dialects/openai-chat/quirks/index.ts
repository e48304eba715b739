import type { JsonObject } from "../../../canon/json.ts"
import type { SeparateReasoning } from "../../../canon/separate-reasoning.ts"
import type { ClosedSchema } from "./closed-schema.ts"

/**
 * Differences between a vendor's API and OpenAI's. The table of vendors has one object of this type for each vendor.
 */
export interface OpenAiChatQuirks {
  /** The field in which the gateway writes its own output limit. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens"
  /** Whether the vendor rejects the other field for the limit, so that the caller's field must be renamed. */
  readonly maxTokensFieldOnly: boolean
  /** The field in which the vendor reads reasoning of earlier turns. */
  readonly reasoningField: "reasoning_content" | "reasoning"
  /**
   * The reasoning of earlier turns that is sent: nothing (`drop`), its text, or its text together with OpenRouter's
   * signed `reasoning_details` (docs/contribute/wire/openai-chat.md#f24).
   */
  readonly reasoningHistory: "drop" | "text" | "details"
  /**
   * How usage in a stream is requested. `ask`: with `stream_options`. `always`: the vendor sends usage by default and
   * rejects `stream_options`.
   */
  readonly usageInStream: "ask" | "always"
  /** Whether the vendor accepts `usage` as an option of a request, like OpenRouter. Otherwise, it is left out. */
  readonly usageOption: boolean
  /** The role of instructions. Some vendors support only the older role `system`. */
  readonly developerRole: "developer" | "system"
  /** Set if the output limit does not include the reasoning, so that reasoning needs its own budget. */
  readonly separateReasoning?: SeparateReasoning
  /** The name of the seed field. Mistral's is `random_seed`. */
  readonly seedField: "seed" | "random_seed"
  /**
   * The vendor's form of the reasoning options: `reasoning_effort`, or OpenRouter's object `reasoning`, which can also
   * contain a budget in tokens.
   */
  readonly reasoningForm: "effort" | "object"
  /** Whether the vendor accepts `cache_control` on content parts and tools. */
  readonly cacheControl: boolean
  /** Whether an assistant's message may have `images` in OpenRouter's form. */
  readonly assistantImages: boolean
  /** Whether `image_config` sets the shape of images in the response. */
  readonly imageConfig: boolean
  /** Whether a file may be sent as a link. */
  readonly fileUrls: boolean
  /** Whether the vendor supports `top_k`. */
  readonly topK: boolean
  /**
   * The accepted form of call ids. Mistral accepts only ids of nine letters and digits. Any other id is always mapped
   * to the same valid id.
   */
  readonly toolCallIds: "any" | "nine-characters"
  /**
   * Maximum choices per request. The relay makes several calls for more choices, or for any number of choices if the
   * vendor may ignore `n`.
   */
  readonly maxChoices: number
  /** Whether the vendor supports custom tools, which take text. Otherwise, they are sent as functions. */
  readonly customTools: boolean
  /** Top-level fields that the vendor rejects. A loss is reported for each dropped field. */
  readonly dropFields: readonly string[]
  /** Set if the vendor rejects unknown members instead of ignoring them. */
  readonly closedSchema?: ClosedSchema
  /** Maximum stop sequences per request. */
  readonly stops: number
  /** Whether the vendor is known to end the text before a stop sequence. */
  readonly cutsStops: boolean
  /** Whether a response names the stop sequence that ended it. OpenAI's responses do not. */
  readonly reportsStop: boolean
  /** The highest temperature that is accepted. A higher value is lowered to it, which is a loss. */
  readonly maxTemperature?: number
  /**
   * Top-level fields that are sent unless the request contains them. An example is a temperature of 1, which callers
   * expect, for a vendor with another default.
   */
  readonly defaultFields?: JsonObject
}

/** The quirks of OpenAI's own API. */
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
