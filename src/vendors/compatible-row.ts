import type { OpenAiEmbeddingQuirks } from "../dialects/embedding/formats/openai.ts"
import type { OpenAiChatQuirks } from "../dialects/openai-chat/quirks/index.ts"
import type { OpenAiResponsesQuirks } from "../dialects/openai-responses/quirks.ts"
import type { JinaRerankQuirks } from "../dialects/rerank/formats/jina.ts"
import type { Operations } from "./vendor.ts"

/** A vendor whose servers support `openai-chat`. */
export interface CompatibleRow {
  readonly id: string
  readonly name: string
  /**
   * The base URL; absent if each provider must set `base_url`. `{account}` is replaced by the provider's `account`.
   */
  readonly baseUrl?: string
  /** Environment variables with the account, if the base URL contains it. The main variable is first. */
  readonly accountVariables?: readonly string[]
  /** Environment variables with the key, with the main variable first; empty if no key is needed. */
  readonly keyVariables: readonly string[]
  /** Differences from most compatible vendors. */
  readonly quirks?: Partial<OpenAiChatQuirks>
  /**
   * Differences from OpenAI's responses API, if the vendor supports `openai-responses` at the same base URL. Only
   * OpenAI supports custom tools.
   */
  readonly responses?: Partial<OpenAiResponsesQuirks>
  /** Whether the vendor offers web search in `openai-responses`, at a known price. */
  readonly webSearch?: true
  /**
   * Differences between the embeddings of this vendor and of most compatible vendors; `none` if the vendor has no
   * embeddings.
   */
  readonly embedding?: Partial<OpenAiEmbeddingQuirks> | "none"
  /** Differences from Jina, if the vendor offers rerank in Jina's format. */
  readonly rerank?: Partial<JinaRerankQuirks>
  /**
   * Other operations of the vendor. Default: the operations of OpenAI for servers that operators run, and no operations
   * for other vendors.
   */
  readonly operations?: Operations
  /**
   * Whether the operator runs the server and chooses its dialects. These are `openai-chat`, and `openai-responses` or
   * `anthropic-messages` at the same base URL if the provider's `dialects` contain them.
   */
  readonly isSelfHosted?: true
  /** Set if the usage of each chat response states its cost in US dollars. */
  readonly statesCost?: true
}

/** Quirks of vendors that document `n` and `stop` like OpenAI. */
export const AS_OPENAI = { maxChoices: 128, cutsStops: true } as const
export const CUTS_STOPS = { cutsStops: true } as const

/** Quirks of vendors that accept both names of the output limit. */
export const BOTH_LIMITS = { maxTokensFieldOnly: false } as const

/** The temperature that is sent to vendors whose default is not 1. */
export const USUAL_TEMPERATURE = { temperature: 1 } as const
