import type { GatewayError } from "./errors.ts"
import type { JsonObject } from "./json.ts"
import type { Usage } from "./usage.ts"
import type { DialectId, Extra } from "./extra.ts"
import type { AudioPart, Citation, CallOrigin, ImagePart, Part, Message } from "./message.ts"
import type { Modality } from "#contract/model-rules.ts"
import type { WebSearchPart, WebSearch } from "./web-search.ts"
import type { Tool, ToolChoice, AllowedTools, BroughtTools } from "./tool.ts"

/** The form that the text of an answer has to have. */
export type ResponseFormat =
  | { readonly type: "text" | "json-object" }
  | {
      readonly type: "json-schema"
      readonly name: string
      readonly schema?: JsonObject
      readonly description?: string
      readonly strict?: boolean
    }

/** How much a model is to think before it answers, in the caller's own terms. */
export interface ReasoningOptions {
  /** `none`, `minimal`, `low`, `medium`, `high` and whatever a vendor adds. */
  readonly effort?: string
  /** Tokens of reasoning at most; 0 asks for none. */
  readonly budget?: number
  /** The model decides how much. */
  readonly isAdaptive?: boolean
  /** How much of it the caller wants to read: `auto`, `concise`, `detailed`, `none`. */
  readonly summary?: string
}

/** How the answer is spoken. */
export interface SpeechOptions {
  /** The vendor's name for the voice. */
  readonly voice?: string
  /** `wav`, `mp3`, `pcm16` and so on. */
  readonly format?: string
  /** Settings that only one dialect has. */
  readonly extra?: Extra
}

/** The shape of images in an answer, with the values that Google and OpenRouter share. */
export interface ImageShape {
  /** `16:9` */
  readonly aspectRatio?: string
  /** `1K`, `2K`, `4K` */
  readonly size?: string
}

/** One chat request, in no vendor's dialect. Absent means that the caller did not say. */
export interface ChatRequest {
  /** The public id `<provider>/<model_name>`. */
  readonly model: string
  readonly messages: readonly Message[]
  readonly stream: boolean
  /** Whether the caller asked for usage in the stream. */
  readonly streamUsage: boolean
  readonly maxTokens?: number
  /** How many choices; each one is billed. */
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
  /** Tools that the conversation itself brings besides `tools`. Its own dialect has them in its messages. */
  readonly broughtTools?: BroughtTools
  readonly toolChoice?: ToolChoice
  /** Replaces a tool choice. Its own dialect has it in its extras as `tool_choice`. */
  readonly allowedTools?: AllowedTools
  /** A search that the vendor runs. Its own dialect has it in its extras too. */
  readonly webSearch?: WebSearch
  readonly parallelToolCalls?: boolean
  readonly responseFormat?: ResponseFormat
  readonly reasoning?: ReasoningOptions
  /** What the answer may contain; absent: whatever the model answers with by default. */
  readonly modalities?: readonly Modality[]
  readonly speech?: SpeechOptions
  /** Also present in the extras of its own dialect. */
  readonly imageShape?: ImageShape
  /** `low`, `medium`, `high`: how long the caller wants the answer to be. */
  readonly verbosity?: string
  /** The caller's end user; an opaque name for the vendor's abuse detection. */
  readonly user?: string
  readonly safetyIdentifier?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly serviceTier?: string
  readonly promptCacheKey?: string
  /** The id of an earlier answer that the vendor has stored and that this request continues. */
  readonly previousResponse?: string
  /** Asks the vendor to store the conversation, so that later requests can continue it (Anthropic's threads). */
  readonly isThread?: boolean
  /** The id of an earlier answer whose items the gateway has put into `messages`. */
  readonly continued?: string
  /** Whether the gateway stores the answer. */
  readonly isKept?: boolean
  readonly extra?: Extra
}

/** Why a choice ended. docs/wire/README.md#f5 maps it to each dialect. */
export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "other"

/** One unit of a streamed answer. */
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
      /** Ends a block of reasoning: what follows is another. */
      readonly type: "reasoning-signature"
      readonly choice: number
      readonly signature: string
      readonly signedBy: DialectId
      readonly isRedacted?: boolean
      readonly id?: string
      readonly extra?: Extra
    }
  /** An image, or a piece of audio, that the model made. Pieces that follow each other are one clip. */
  | { readonly type: "media"; readonly choice: number; readonly media: ImagePart | AudioPart }
  /** Belongs to the text before it. */
  | { readonly type: "citation"; readonly choice: number; readonly citation: Citation }
  | {
      readonly type: "tool-call-start"
      readonly choice: number
      readonly call: number
      readonly id: string
      readonly name: string
      /** Known where the vendor has such tools itself; otherwise the request says what the name stands for. */
      readonly origin?: CallOrigin
    }
  | {
      readonly type: "tool-call-delta"
      readonly choice: number
      readonly call: number
      readonly arguments: string
    }
  /** Follows the extra in which the vendor's own dialect has it. */
  | { readonly type: "web-search"; readonly choice: number; readonly search: WebSearchPart }
  | { readonly type: "choice-extra"; readonly choice: number; readonly extra: Extra }
  | {
      readonly type: "finish"
      readonly choice: number
      readonly reason: FinishReason
      /** The vendor's own value, when it says more than `reason`. */
      readonly rawReason?: string
      /** The stop string that ended the choice, where the vendor names it. */
      readonly stopSequence?: string
    }
  | {
      readonly type: "usage"
      readonly usage: Usage
      /** Whether its output is that of an earlier report. */
      readonly isInputOnly?: boolean
    }
  | {
      readonly type: "error"
      /** The vendor's words and code, which may be about the operator's account. */
      readonly message: string
      readonly code?: string
      /** The same as the caller sees it. */
      readonly failure: GatewayError
    }

/** One choice of a whole answer. */
export interface Choice {
  readonly index: number
  readonly parts: readonly Part[]
  readonly finish: FinishReason
  readonly rawFinish?: string
  readonly stopSequence?: string
  readonly extra?: Extra
}

/** A whole answer: what a stream of events folds to. */
export interface ChatResult {
  readonly id?: string
  readonly model?: string
  readonly created?: number
  readonly choices: readonly Choice[]
  /** Absent when the vendor reported none. */
  readonly usage?: Usage
  readonly extra?: Extra
}
