import type { OpenAiEmbeddingQuirks } from "../dialects/embedding/formats/openai.ts"
import type { OpenAiChatQuirks } from "../dialects/openai-chat/quirks/index.ts"
import type { OpenAiResponsesQuirks } from "../dialects/openai-responses/index.ts"
import type { JinaRerankQuirks } from "../dialects/rerank/formats/jina.ts"
import type { Operations } from "./vendor.ts"

/** A vendor whose servers support `openai-chat`. */
export interface CompatibleRow {
  readonly id: string
  readonly name: string
  /** Absent: each provider must set `base_url`. `{account}` is replaced by the provider's `account`. */
  readonly baseUrl?: string
  /** Environment variables with the account, if the base address contains it; the main one first. */
  readonly accountVariables?: readonly string[]
  /** The main variable first; empty if no key is needed. */
  readonly keyVariables: readonly string[]
  /** Differences from most compatible vendors. */
  readonly quirks?: Partial<OpenAiChatQuirks>
  /**
   * Differences from OpenAI, if it supports `openai-responses` at the same base address. Only OpenAI supports custom
   * tools.
   */
  readonly responses?: Partial<OpenAiResponsesQuirks>
  /** Whether it offers web search in `openai-responses`, at a known price. */
  readonly webSearch?: true
  /** Differences of its embeddings from most compatible vendors; `none`: it has no embeddings. */
  readonly embedding?: Partial<OpenAiEmbeddingQuirks> | "none"
  /** Differences from Jina, if it offers rerank in Jina's format. */
  readonly rerank?: Partial<JinaRerankQuirks>
  /** Its other operations. Default: OpenAI's at servers that operators run; otherwise no others. */
  readonly operations?: Operations
  /**
   * The operator runs the server and chooses its dialects: `openai-chat`, and `openai-responses` or
   * `anthropic-messages` at the same base address if the provider's `dialects` contain them.
   */
  readonly isServerOfOnesOwn?: true
}

/** For vendors whose references document `n` and `stop` as OpenAI does. */
export const AS_OPENAI = { maxChoices: 128, cutsStops: true } as const
export const CUTS_STOPS = { cutsStops: true } as const

/** For vendors that accept both names of the limit. */
export const BOTH_LIMITS = { maxTokensFieldOnly: false } as const
