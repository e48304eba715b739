import type { ImageFormat } from "../canon/image.ts"
import type { OpenAiEmbeddingQuirks } from "../dialects/embedding/formats/openai.ts"
import type { OpenAiChatQuirks } from "../dialects/openai-chat/quirks/index.ts"
import type { OpenAiResponsesQuirks } from "../dialects/openai-responses/index.ts"
import type { JinaRerankQuirks } from "../dialects/rerank/formats/jina.ts"
import type { SoundOperations } from "./sound.ts"

/** One vendor whose servers speak `openai-chat`. */
export interface CompatibleRow {
  readonly id: string
  readonly name: string
  /** Absent: every provider has to give its own. `{account}` stands for the provider's `account`. */
  readonly baseUrl?: string
  /** The environment variables that hold the account, where the base address has one; the main one first. */
  readonly accountVariables?: readonly string[]
  /** The main one first; none where no key is needed. */
  readonly keyVariables: readonly string[]
  /** Differences from most compatible vendors. */
  readonly quirks?: Partial<OpenAiChatQuirks>
  /**
   * Present where it also speaks `openai-responses`, at the same base address: differences from OpenAI. Custom
   * tools are OpenAI's only.
   */
  readonly responses?: Partial<OpenAiResponsesQuirks>
  /** Whether it offers web search in `openai-responses`, at a known price. */
  readonly webSearch?: true
  /** Differences of its embeddings from most compatible vendors', or that it has none. */
  readonly embedding?: Partial<OpenAiEmbeddingQuirks> | "none"
  /** Present where it offers rerank in Jina's format: differences from Jina. */
  readonly rerank?: Partial<JinaRerankQuirks>
  /** Present where it makes images. Servers that operators run are called in OpenAI's format. */
  readonly image?: ImageFormat
  /** Present where it offers speech or transcription. Servers that operators run may offer both. */
  readonly sound?: SoundOperations
  /**
   * The operator of the server chooses what it speaks: `openai-chat`, and `openai-responses` or
   * `anthropic-messages` at the same base address where a provider's `dialects` say so.
   */
  readonly isServerOfOnesOwn?: true
}

/** For vendors whose references say that `n` and `stop` work as at OpenAI. */
export const AS_OPENAI = { maxChoices: 128, cutsStops: true } as const
export const CUTS_STOPS = { cutsStops: true } as const

/** For vendors that know both names of the limit. */
export const BOTH_LIMITS = { maxTokensFieldOnly: false } as const
