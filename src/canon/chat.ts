import type { JsonObject, JsonValue } from "./json.ts"
import type { Usage } from "./usage.ts"

/** The chat wire formats. */
export type DialectId =
  | "openai-chat"
  | "openai-responses"
  | "anthropic-messages"
  | "gemini"
  | "bedrock-converse"
  | "cohere-chat"

/** Fields that only one dialect knows. They go back to that dialect and to no other. */
export interface Extra {
  readonly dialect: DialectId
  readonly fields: JsonObject
}

/** A field that could not be carried to the other dialect: always reported, never silent. */
export interface Loss {
  readonly name: string
  readonly effect: "dropped" | "approximated"
}

/** Where the bytes of a picture, sound or file are. */
export type MediaSource =
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "base64"; readonly data: string; readonly mediaType?: string }
  | { readonly type: "reference"; readonly id: string }

export interface TextPart {
  readonly type: "text"
  readonly text: string
  readonly extra?: Extra
}

export interface RefusalPart {
  readonly type: "refusal"
  readonly text: string
}

export interface ImagePart {
  readonly type: "image"
  readonly source: MediaSource
  /** How closely the vendor should look; decides how many tokens the picture costs. */
  readonly detail?: string
  readonly extra?: Extra
}

export interface AudioPart {
  readonly type: "audio"
  readonly source: MediaSource
  /** `wav`, `mp3` and so on. */
  readonly format?: string
  readonly extra?: Extra
}

export interface FilePart {
  readonly type: "file"
  readonly source: MediaSource
  readonly name?: string
  readonly extra?: Extra
}

/** Reasoning text. A signature proves it to the vendor that wrote it and to no other. */
export interface ReasoningPart {
  readonly type: "reasoning"
  readonly text: string
  readonly signature?: string
  readonly extra?: Extra
}

export interface ToolCallPart {
  readonly type: "tool-call"
  readonly id: string
  readonly name: string
  /** JSON text, as the model wrote it; `{}` for a tool without arguments. */
  readonly arguments: string
  readonly extra?: Extra
}

export interface ToolResultPart {
  readonly type: "tool-result"
  /** The id of the call that this answers. */
  readonly id: string
  readonly content: readonly (TextPart | ImagePart | AudioPart | FilePart)[]
  readonly failed?: boolean
  readonly extra?: Extra
}

/** A part that only its own dialect understands, kept whole for it. */
export interface UnknownPart {
  readonly type: "unknown"
  readonly extra: Extra
}

export type Part =
  | TextPart
  | RefusalPart
  | ImagePart
  | AudioPart
  | FilePart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | UnknownPart

export type Role = "system" | "developer" | "user" | "assistant" | "tool"

export interface Message {
  readonly role: Role
  readonly parts: readonly Part[]
  readonly name?: string
  readonly extra?: Extra
}

export interface Tool {
  readonly name: string
  readonly description?: string
  /** JSON schema of the arguments. */
  readonly parameters?: JsonObject
  readonly strict?: boolean
  readonly extra?: Extra
}

export type ToolChoice =
  | { readonly type: "auto" | "none" | "required" }
  | { readonly type: "tool"; readonly name: string }

export type ResponseFormat =
  | { readonly type: "text" | "json-object" }
  | {
      readonly type: "json-schema"
      readonly name: string
      readonly schema?: JsonObject
      readonly description?: string
      readonly strict?: boolean
    }

/** One chat request, in nobody's dialect. Absent means the caller did not say. */
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
  readonly seed?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly logprobs?: boolean
  readonly topLogprobs?: number
  readonly tools?: readonly Tool[]
  readonly toolChoice?: ToolChoice
  readonly parallelToolCalls?: boolean
  readonly responseFormat?: ResponseFormat
  /** `none`, `minimal`, `low`, `medium`, `high` and whatever a vendor adds. */
  readonly reasoningEffort?: string
  readonly user?: string
  readonly extra?: Extra
}

/** Why a choice ended. WIRE.md section 7 maps it to each dialect. */
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
  | { readonly type: "reasoning-signature"; readonly choice: number; readonly signature: string }
  | {
      readonly type: "tool-call-start"
      readonly choice: number
      readonly call: number
      readonly id: string
      readonly name: string
    }
  | {
      readonly type: "tool-call-delta"
      readonly choice: number
      readonly call: number
      readonly arguments: string
    }
  | { readonly type: "choice-extra"; readonly choice: number; readonly extra: Extra }
  | {
      readonly type: "finish"
      readonly choice: number
      readonly reason: FinishReason
      /** The vendor's own word, when it says more than `reason`. */
      readonly rawReason?: string
      /** The stop string that ended the choice, where the vendor tells. */
      readonly stopSequence?: string
    }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "error"; readonly message: string; readonly code?: string }

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

/** A closed set must be handled whole: the compiler refuses a missing case here. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value as JsonValue)}`)
}
