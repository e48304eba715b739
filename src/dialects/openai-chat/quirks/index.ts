import type { ClosedSchema } from "./closed-schema.ts"

/** How one vendor's API departs from OpenAI's own. Data: the vendors' table holds one per vendor. */
export interface OpenAiChatQuirks {
  /** The field that limits the output, when the gateway writes one. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens"
  /** Whether the vendor refuses the other one, so that a caller's own field has to be renamed. */
  readonly maxTokensFieldOnly: boolean
  /** Where the vendor reads reasoning in the messages of earlier turns. */
  readonly reasoningField: "reasoning_content" | "reasoning"
  /**
   * What of the reasoning of earlier turns goes up: nothing; its text; or its text with the signed
   * `reasoning_details` as OpenRouter has them (docs/wire/openai-chat.md#f24).
   */
  readonly reasoningHistory: "drop" | "text" | "details"
  /** `always`: usage comes unasked and `stream_options` is refused, so it must not be sent. */
  readonly usageInStream: "ask" | "always"
  /** The role of the operator's instructions, for vendors that know only the older word. */
  readonly developerRole: "developer" | "system"
  /** The name of the seed: Mistral's is `random_seed`. */
  readonly seedField: "seed" | "random_seed"
  /**
   * How the vendor takes the options for reasoning: a word in `reasoning_effort`; or OpenRouter's object
   * `reasoning`, which has a budget in tokens too.
   */
  readonly reasoningOrder: "effort" | "object"
  /** Whether `cache_control` is taken on parts of the content and on tools. */
  readonly cacheControl: boolean
  /** Whether a file may be given by its address. */
  readonly fileUrls: boolean
  /** Whether `top_k` is known; OpenAI does not know it. */
  readonly topK: boolean
  /** Mistral takes only ids of nine letters and digits; others are mapped, always to the same. */
  readonly toolCallIds: "any" | "nine-characters"
  /** `one`: `n` is refused or passed over, so several choices take as many calls. */
  readonly choices: "many" | "one"
  /** Whether tools that take text are known; else they go up as functions. */
  readonly customTools: boolean
  /** Top-level fields that the vendor refuses. Each one dropped is a loss. */
  readonly dropFields: readonly string[]
  /** Present where members without a name are refused, not passed over. */
  readonly closedSchema?: ClosedSchema
  /** Stop sequences that a request may have. */
  readonly stops: number
  /** Whether an answer names the one that ended it; OpenAI's own does not. */
  readonly reportsStop: boolean
  /** The highest temperature that is taken; a higher one is lowered to it, which is a loss. */
  readonly maxTemperature?: number
  /** Set where a temperature that is left out would not be 1, which is what callers expect. */
  readonly omittedTemperature?: number
}

/** OpenAI's own API. */
export const OPENAI_QUIRKS: OpenAiChatQuirks = Object.freeze({
  maxTokensField: "max_completion_tokens",
  maxTokensFieldOnly: false,
  reasoningField: "reasoning_content",
  reasoningHistory: "drop",
  usageInStream: "ask",
  developerRole: "developer",
  seedField: "seed",
  reasoningOrder: "effort",
  cacheControl: false,
  fileUrls: false,
  topK: false,
  toolCallIds: "any",
  choices: "many",
  customTools: true,
  stops: 4,
  reportsStop: false,
  dropFields: Object.freeze([]),
})
