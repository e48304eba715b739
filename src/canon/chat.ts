import type { GatewayError } from "./errors.ts"
import type { JsonObject } from "./json.ts"
import type { Usage } from "./usage.ts"
import type { DialectId, Extra } from "./extra.ts"
import type { AudioPart, Citation, CallOrigin, ImagePart, Part, Message } from "./message.ts"
import type { Modality } from "#contract/model-rules.ts"
import type { WebSearchPart, WebSearch } from "./web-search.ts"
import type { Tool, ToolChoice, AllowedTools, AddedTools } from "./tool.ts"

/** The required form of the response's text. */
export type ResponseFormat =
  | { readonly type: "text" | "json-object" }
  | {
      readonly type: "json-schema"
      readonly name: string
      readonly schema?: JsonObject
      readonly description?: string
      readonly strict?: boolean
    }

/** The requested amount of reasoning, as the caller specified it. */
export interface ReasoningOptions {
  /** `none`, `minimal`, `low`, `medium`, `high`, or a value that a vendor has added. */
  readonly effort?: string
  /** Maximum reasoning tokens; 0 disables reasoning. */
  readonly budget?: number
  /** Whether the model chooses the amount of reasoning. */
  readonly isAdaptive?: boolean
  /** The requested summary of the reasoning: `auto`, `concise`, `detailed`, `none`. */
  readonly summary?: string
}

/** The voice and the format of a spoken response. */
export interface SpeechOptions {
  /** The vendor's name for the voice. */
  readonly voice?: string
  /** The audio format, for example `wav`, `mp3` or `pcm16`. */
  readonly format?: string
  /** Settings that exist in one dialect only. */
  readonly extra?: Extra
}

/** The shape of generated images, in the values that Google and OpenRouter share. */
export interface ImageShape {
  /** The ratio of width to height, for example `16:9`. */
  readonly aspectRatio?: string
  /** `1K`, `2K` or `4K`. */
  readonly size?: string
}

/**
 * A chat request, independent of any vendor's dialect. An absent member was not set by the caller.
 */
export interface ChatRequest {
  /** The public id `<provider>/<model_name>`. */
  readonly model: string
  readonly messages: readonly Message[]
  readonly stream: boolean
  /** Whether the caller requested usage in the stream. */
  readonly streamUsage: boolean
  readonly maxTokens?: number
  /** Number of choices. Each choice is billed. */
  readonly choices: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly stop?: readonly string[]
  readonly seed?: number | bigint
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly logprobs?: boolean
  readonly topLogprobs?: number
  readonly tools?: readonly Tool[]
  /**
   * Tools that are declared within the messages, in addition to those in `tools`. The caller's own dialect carries
   * these tools in its messages.
   */
  readonly addedTools?: AddedTools
  readonly toolChoice?: ToolChoice
  /**
   * The tools among which the model may choose; replaces `toolChoice`. In the caller's own dialect, it is part of the
   * extra as `tool_choice`.
   */
  readonly allowedTools?: AllowedTools
  /** A web search that the vendor runs. In the caller's own dialect, it is also part of the extra. */
  readonly webSearch?: WebSearch
  readonly parallelToolCalls?: boolean
  readonly responseFormat?: ResponseFormat
  readonly reasoning?: ReasoningOptions
  /** Allowed modalities of the response. Defaults to the model's default modalities. */
  readonly modalities?: readonly Modality[]
  readonly speech?: SpeechOptions
  /** The requested shape of images. In the caller's own dialect, it is also part of the extra. */
  readonly imageShape?: ImageShape
  /** The requested length of the response: `low`, `medium`, `high`. */
  readonly verbosity?: string
  /** The caller's end user, as an opaque name for the vendor's abuse detection. */
  readonly user?: string
  readonly safetyIdentifier?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly serviceTier?: string
  readonly promptCacheKey?: string
  /** The id of an earlier response that the vendor has stored and that this request continues. */
  readonly previousResponse?: string
  /** Asks the vendor to store the conversation, so that later requests can continue it (Anthropic's threads). */
  readonly isThread?: boolean
  /** The id of an earlier response whose items the gateway has put into `messages`. */
  readonly continued?: string
  /** Whether the gateway stores the response. */
  readonly isKept?: boolean
  readonly extra?: Extra
}

/** The reason why a choice ended. docs/contribute/wire/README.md#f5 maps it to each dialect. */
export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "other"

/** An event of a streamed response. */
export type ChatEvent =
  | {
      readonly type: "start"
      readonly id?: string
      readonly model?: string
      readonly created?: number
      readonly extra?: Extra
    }
  | { readonly type: "text-delta"; readonly choice: number; readonly text: string }
  | { readonly type: "refusal-delta"; readonly choice: number; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly choice: number; readonly text: string }
  | {
      /** Ends a block of reasoning. Later reasoning starts a new block. */
      readonly type: "reasoning-signature"
      readonly choice: number
      readonly signature: string
      readonly signedBy: DialectId
      readonly isRedacted?: boolean
      readonly id?: string
      readonly extra?: Extra
    }
  /** An image or a piece of audio that the model generated. Consecutive pieces of audio form one clip. */
  | { readonly type: "media"; readonly choice: number; readonly media: ImagePart | AudioPart }
  /** A citation for the preceding text. */
  | { readonly type: "citation"; readonly choice: number; readonly citation: Citation }
  | {
      readonly type: "tool-call-start"
      readonly choice: number
      readonly call: number
      readonly id: string
      readonly name: string
      /**
       * Set if the vendor has tools of this form. Otherwise, the form is that of the tool that the request declares
       * under this name.
       */
      readonly origin?: CallOrigin
    }
  | {
      readonly type: "tool-call-delta"
      readonly choice: number
      readonly call: number
      readonly arguments: string
    }
  /** A web search by the vendor. It follows the extra that carries the same search for the vendor's own dialect. */
  | { readonly type: "web-search"; readonly choice: number; readonly search: WebSearchPart }
  | { readonly type: "choice-extra"; readonly choice: number; readonly extra: Extra }
  | {
      readonly type: "finish"
      readonly choice: number
      readonly reason: FinishReason
      /** The vendor's own value, if it is more specific than `reason`. */
      readonly rawReason?: string
      /** The stop sequence that ended the choice, if the vendor reports it. */
      readonly stopSequence?: string
    }
  | {
      readonly type: "usage"
      readonly usage: Usage
      /** Set if an earlier report has the output counts. */
      readonly isInputOnly?: boolean
    }
  | {
      readonly type: "error"
      /** The vendor's message and code, which may describe the operator's account. */
      readonly message: string
      readonly code?: string
      /** The failure that is reported to the caller. */
      readonly failure: GatewayError
    }

/** One choice of a complete response. */
export interface Choice {
  readonly index: number
  readonly parts: readonly Part[]
  readonly finish: FinishReason
  readonly rawFinish?: string
  readonly stopSequence?: string
  readonly extra?: Extra
}

/** A complete response, which is the result of folding a stream of events. */
export interface ChatResult {
  readonly id?: string
  readonly model?: string
  readonly created?: number
  readonly choices: readonly Choice[]
  /** Token usage and other counts; absent if the vendor did not report usage. */
  readonly usage?: Usage
  readonly extra?: Extra
}
