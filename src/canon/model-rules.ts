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
  readonly output?: OutputRules
  readonly tools?: ToolRules
  readonly turns?: TurnRules
  /** Maximum length of `user`, in characters. */
  readonly maxUserLength?: number
  /** Maximum number of images in a request. */
  readonly maxImages?: number
  /** Maximum number of cache marks in a request. */
  readonly maxCacheMarks?: number
}

/** A format of answers other than text. */
export type OutputFormat = "json_object" | "json_schema"

/** How a model can be made to answer in JSON. */
export interface OutputRules {
  /** The formats that it accepts; absent: both. */
  readonly formats?: readonly OutputFormat[]
  /** Whether a request for any JSON object has to have the word JSON in its messages. */
  readonly needsWord?: boolean
  /** Whether a schema that it cannot follow becomes a tool that it has to call; otherwise an instruction. */
  readonly answersByTool?: boolean
  /** Which schemas it accepts, of answers and of strict tools; absent: all. */
  readonly schemas?: SchemaRules
}

/** Which JSON schemas a model accepts. */
export interface SchemaRules {
  /** Whether the schema of an answer has to describe an object. */
  readonly rootObject?: boolean
  /** Keywords that are rejected, and that are moved to the description; `minItems`: values above 1. */
  readonly described?: readonly string[]
  /** Keywords without which the schema would mean something else. */
  readonly rejected?: readonly string[]
  /** Whether every object lists its properties and allows no others. */
  readonly closedObjects?: boolean
  /** Whether a schema may not contain itself. */
  readonly noRecursion?: boolean
  /** Whether a strict schema requires all properties of its closed objects. */
  readonly strictRequiresAll?: boolean
}

/** Which tools a model accepts, and how they are called. */
export interface ToolRules {
  readonly maxCount?: number
  readonly names?: NameRules
  /** Maximum length of a call's id, in characters. */
  readonly maxCallIdLength?: number
  /** Whether a call cannot be required: the model decides. */
  readonly choosesFreely?: boolean
}

/** Which names are accepted. ASCII letters, digits and `_` always are. */
export interface NameRules {
  /** Characters. */
  readonly maxLength: number
  /** Further characters that are accepted. */
  readonly punctuation: string
}

/** In which order a conversation has to be. */
export interface TurnRules {
  /** Whether its last turn cannot be the assistant's. */
  readonly endsWithUser?: boolean
  /** Whether turns of the user and the assistant alternate. */
  readonly alternates?: boolean
  /** Whether an assistant turn stands between a tool result and the user's next turn. */
  readonly answersResults?: boolean
  /** Whether instructions can only be at the start. */
  readonly instructionsFirst?: boolean
  /** The member of an unfinished assistant turn that the model is to continue. */
  readonly prefillField?: string
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
