import type { PriceName } from "./usage-classes.ts"

/** A kind of model, and the operation that its models perform. */
export interface ModelKindRow {
  /** The operation's name in messages, tables and the playground. */
  readonly operation: string
  /** The endpoints that accept models of this kind. An error about a wrong endpoint names the first. */
  readonly endpoints: readonly `/v1/${string}`[]
  /**
   * Groups of price classes. A price must contain at least one class of each group. Otherwise, usage that occurs in
   * every request would be free.
   */
  readonly requiredPrices: readonly (readonly PriceName[])[]
  /** The classes that models of this kind are usually priced by. They are the first fields of a form. */
  readonly usualPrices: readonly (PriceName | "minimum_seconds")[]
  /** The value of `gen_ai.operation.name` in traces and metrics. */
  readonly traceName: string
  /** The value of `gen_ai.output.type`; absent if the operation's name implies it. */
  readonly traceOutput?: string
  /** The modes of LiteLLM that correspond to this kind of model. */
  readonly litellmModes: readonly string[]
}

/** All kinds of models. A new kind is added as one row. */
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
    // If a gateway has no reranker, rerank requests compare embeddings.
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
