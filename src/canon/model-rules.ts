import type { DialectId } from "./extra.ts"

/**
 * What a model accepts at its provider. An absent member means that no restriction is known. The catalog resolves the
 * rules once per deployment; the relay and the encoders ask them and never guess from a name.
 */
export interface ModelRules {
  /** The dialect that requests with function tools have to use, unless reasoning is off. */
  readonly toolDialect?: DialectId
  readonly reasoning?: ReasoningRules
  readonly sampling?: SamplingRules
  /** What its answers may contain. A model of another kind that has it can be called as a chat model. */
  readonly modalities?: readonly Modality[]
  /** Maximum length of `user`, in characters. */
  readonly maxUserLength?: number
}

/** What an answer can contain. */
export type Modality = "text" | "image" | "audio"

/** How a model can be asked to reason. */
export interface ReasoningRules {
  /** False: the model does not reason, and rejects reasoning options. */
  readonly supported?: boolean
  /** The efforts that it accepts, the lowest first. */
  readonly efforts?: readonly string[]
  /** The effort of a request that names none. */
  readonly defaultEffort?: string
  /** Absent: with the effort `none`, if that is among the accepted ones. */
  readonly off?: ReasoningSwitch
  /** Whether an assistant turn with tool calls has to carry `reasoning_content`, even if it is empty. */
  readonly needsToolTurnContent?: boolean
}

/**
 * How reasoning is switched off in OpenAI's chat format: by the effort `none`, or by a provider's own parameter
 * (`enable_thinking: false`, `thinking: { type: "disabled" }`).
 */
export type ReasoningSwitch = "none" | "enable_thinking" | "thinking"

/** Sampling parameters that can be restricted. */
export type SamplingParameter =
  | "temperature"
  | "topP"
  | "presencePenalty"
  | "frequencyPenalty"
  | "logprobs"
  | "stop"

/** Which sampling parameters a model rejects. */
export interface SamplingRules {
  readonly rejects: readonly SamplingParameter[]
  /** Whether they are accepted while reasoning is off. */
  readonly acceptsWithoutReasoning?: boolean
}
