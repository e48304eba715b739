/** Parameters of a request that a model may reject. Limits that determine a hold are excluded. */
export const REJECTABLE_PARAMETERS = [
  "temperature",
  "top_p",
  "top_k",
  "presence_penalty",
  "frequency_penalty",
  "logprobs",
  "stop",
  "seed",
  "reasoning_effort",
  "parallel_tool_calls",
  "verbosity",
  "user",
  "safety_identifier",
  "metadata",
  "prompt_cache_key",
] as const
export type RejectableParameter = (typeof REJECTABLE_PARAMETERS)[number]

/** Reasoning efforts from the lowest to the highest. */
export const REASONING_EFFORTS = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
] as const

/** The value for no restriction. It removes a built-in rule. */
const ANY = "any"
export const RULE_APIS = [
  ANY,
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "gemini",
  "bedrock-converse",
  "cohere-chat",
] as const
type RuleApi = (typeof RULE_APIS)[number]
export const REASONING_SUPPORT = ["supported", "unsupported", "required"] as const
export const REASONING_SWITCHES = ["none", "enable_thinking", "thinking"] as const
/** Ways to read PDF files: by the model itself, or by OpenRouter's free parser. */
export const PDF_ENGINES = ["native", "cloudflare-ai"] as const
/** How a provider that resells models chooses among its servers of a model. */
export const SERVER_ORDERS = ["price", "any"] as const
export const MAX_TOKENS_FIELDS = [ANY, "max_tokens", "max_completion_tokens"] as const

/** Modalities that a response can contain. */
export const MODALITIES = ["text", "image", "audio"] as const
export type Modality = (typeof MODALITIES)[number]

/** A format of responses other than text. */
export const ANSWER_FORMATS = ["json_object", "json_schema"] as const
export type AnswerFormat = (typeof ANSWER_FORMATS)[number]

/** Keywords of JSON schemas that a model may reject. */
export const SCHEMA_KEYWORDS = [
  "additionalProperties",
  "allOf",
  "anyOf",
  "const",
  "contains",
  "default",
  "dependentRequired",
  "dependentSchemas",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "if",
  "maxContains",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minContains",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "not",
  "oneOf",
  "pattern",
  "patternProperties",
  "prefixItems",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
  "uniqueItems",
] as const
type SchemaKeyword = (typeof SCHEMA_KEYWORDS)[number]

/** Allowed characters of tool names in addition to ASCII letters, digits and `_`. */
export const TOOL_NAME_CHARACTERS = ["-", ".", ":", "/"] as const
type ToolNameCharacter = (typeof TOOL_NAME_CHARACTERS)[number]

/** Names of the message member that marks an unfinished assistant turn, which the model must continue. */
export const PREFILL_FIELDS = [ANY, "prefix", "partial"] as const

/** Allowed ranges of numbers, inclusive. Minimums ensure that a shortened user, name or id stays unique. */
export const RULE_RANGES = {
  max_user_length: [32, 10_000],
  max_tools: [1, 10_000],
  max_strict_tools: [0, 10_000],
  max_tool_name_length: [16, 10_000],
  max_call_id_length: [16, 10_000],
  max_images: [0, 10_000],
  max_cache_marks: [0, 10_000],
} as const satisfies Readonly<Partial<Record<RuleName, readonly [number, number]>>>

/**
 * The rules of a model at its provider, named as in `models.<id>.rules` of `tollgate.yaml`. An absent member means that
 * no restriction is known.
 */
export interface ModelRules {
  readonly api?: RuleApi
  readonly tool_api?: RuleApi
  readonly tools?: boolean
  readonly reasoning?: (typeof REASONING_SUPPORT)[number]
  readonly reasoning_efforts?: readonly string[]
  readonly default_effort?: string
  readonly reasoning_off?: (typeof REASONING_SWITCHES)[number]
  readonly reasoning_history?: boolean
  readonly rejected_parameters?: readonly RejectableParameter[]
  readonly sampling_without_reasoning?: boolean
  readonly max_user_length?: number
  readonly max_tokens_field?: (typeof MAX_TOKENS_FIELDS)[number]
  readonly modalities?: readonly Modality[]
  readonly answer_formats?: readonly AnswerFormat[]
  readonly json_word_required?: boolean
  readonly schema_as_tool?: boolean
  readonly schema_root_object?: boolean
  readonly schema_described_keywords?: readonly SchemaKeyword[]
  readonly schema_rejected_keywords?: readonly SchemaKeyword[]
  readonly schema_closed_objects?: boolean
  readonly schema_recursion?: boolean
  readonly strict_requires_all?: boolean
  readonly max_tools?: number
  readonly max_strict_tools?: number
  readonly max_tool_name_length?: number
  readonly tool_name_characters?: readonly ToolNameCharacter[]
  readonly tool_name_starts_with_letter?: boolean
  readonly max_call_id_length?: number
  readonly tool_choice?: boolean
  readonly tool_choice_with_reasoning?: boolean
  readonly turns_end_with_user?: boolean
  readonly turns_alternate?: boolean
  readonly turns_answer_results?: boolean
  readonly instructions_first?: boolean
  readonly prefill_field?: (typeof PREFILL_FIELDS)[number]
  readonly max_images?: number
  readonly max_cache_marks?: number
  readonly pdf_engine?: (typeof PDF_ENGINES)[number]
  readonly server_order?: (typeof SERVER_ORDERS)[number]
}
export type RuleName = keyof ModelRules
