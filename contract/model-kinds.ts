import type { PriceName } from "./usage-classes.ts"

/** A kind of model, and the operation that its models perform. */
export interface ModelKindRow {
  /** The operation's name in messages, tables and the playground. */
  readonly operation: string
  /** The endpoints that take its models; a message about a wrong endpoint names the first. */
  readonly endpoints: readonly `/v1/${string}`[]
  /**
   * A price must have one class of each group: without a price, a class that every request uses
   * would be free.
   */
  readonly requiredPrices: readonly (readonly PriceName[])[]
  /** The classes that its models are usually priced by: the first fields of a form. */
  readonly usualPrices: readonly (PriceName | "minimum_seconds")[]
  /** `gen_ai.operation.name` in traces and metrics. */
  readonly traceName: string
  /** `gen_ai.output.type`; absent if the operation's name implies it. */
  readonly traceOutput?: string
  /** LiteLLM's modes for its models. */
  readonly litellmModes: readonly string[]
}

/** All kinds of models: a new kind is one row. */
const KINDS = {
  chat: {
    operation: "chat",
    endpoints: ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/responses/compact"],
    requiredPrices: [["input"], ["output"]],
    usualPrices: ["input", "output", "cached_input", "cache_write"],
    traceName: "chat",
    litellmModes: ["chat", "completion", "responses"],
  },
  embedding: {
    operation: "embeddings",
    // Rerank requests compare embeddings if there is no reranker.
    endpoints: ["/v1/embeddings", "/v1/rerank"],
    requiredPrices: [["input"]],
    usualPrices: ["input"],
    traceName: "embeddings",
    litellmModes: ["embedding"],
  },
  rerank: {
    operation: "rerank",
    endpoints: ["/v1/rerank"],
    requiredPrices: [["search", "input"]],
    usualPrices: ["search", "input"],
    traceName: "rerank",
    litellmModes: ["rerank"],
  },
  image: {
    operation: "images",
    endpoints: ["/v1/images/generations", "/v1/images/edits", "/v1/images/variations"],
    requiredPrices: [["image", "output"]],
    usualPrices: ["image", "input", "output", "image_output"],
    traceName: "generate_content",
    traceOutput: "image",
    litellmModes: ["image_generation"],
  },
  speech: {
    operation: "speech",
    endpoints: ["/v1/audio/speech"],
    requiredPrices: [["character", "audio_output", "output", "second"]],
    usualPrices: ["character", "second", "input", "audio_output"],
    traceName: "generate_content",
    traceOutput: "speech",
    litellmModes: ["audio_speech"],
  },
  transcription: {
    operation: "transcription",
    endpoints: ["/v1/audio/transcriptions", "/v1/audio/translations"],
    requiredPrices: [["second", "audio_input", "input"]],
    usualPrices: ["second", "minimum_seconds", "audio_input", "output"],
    traceName: "transcription",
    litellmModes: ["audio_transcription"],
  },
  moderation: {
    operation: "moderation",
    endpoints: ["/v1/moderations", "/v1/chat/moderations"],
    requiredPrices: [["input", "request"]],
    usualPrices: ["input"],
    traceName: "moderation",
    litellmModes: ["moderation"],
  },
} as const satisfies Readonly<Record<string, ModelKindRow>>

export type ModelKind = keyof typeof KINDS

/** A kind whose operation is not chat. */
export type OperationKind = Exclude<ModelKind, "chat">

/** The properties of each kind. */
export const MODEL_KINDS: Readonly<Record<ModelKind, ModelKindRow>> = KINDS

/** All kinds, in display order. */
export const MODEL_KIND_NAMES = Object.keys(KINDS) as readonly ModelKind[]

export function isOperationKind(kind: ModelKind): kind is OperationKind {
  return kind !== "chat"
}
