import {
  ANSWER_FORMATS,
  MAX_TOKENS_FIELDS,
  PDF_ENGINES,
  MODALITIES,
  PREFILL_FIELDS,
  REASONING_EFFORTS,
  REASONING_SUPPORT,
  REASONING_SWITCHES,
  REJECTABLE_PARAMETERS,
  RULE_APIS,
  RULE_RANGES,
  type RuleName,
  SCHEMA_KEYWORDS,
  SERVER_ORDERS,
  TOOL_NAME_CHARACTERS,
} from "./model-rules.ts"

/** Describes a rule for people and for forms. */
export interface RuleDefinition {
  readonly label: string
  readonly type: "choice" | "list" | "flag" | "number"
  /** The allowed values of a choice or a list. */
  readonly values?: readonly string[]
  /** Whether a list may be empty. Depending on the rule, an empty list accepts nothing or restricts nothing. */
  readonly mayBeEmpty?: true
  /** Minimum and maximum of a number. */
  readonly range?: readonly [number, number]
  /** Describes the property of a model that the rule sets. */
  readonly meaning: string
  /** Describes the effect of the rule on a request. */
  readonly effect: string
}

/** The rules in display order. */
export const MODEL_RULES: Readonly<Record<RuleName, RuleDefinition>> = {
  api: {
    label: "API",
    type: "choice",
    values: RULE_APIS,
    meaning: "the API that every request must use",
    effect: "the request is sent to that API, for callers of every format",
  },
  tool_api: {
    label: "API for function tools",
    type: "choice",
    values: RULE_APIS,
    meaning: "the API that requests with function tools must use unless reasoning is off",
    effect: "such a request is sent to that API, for callers of every format",
  },
  tools: {
    label: "Function tools",
    type: "flag",
    meaning: "whether the model supports function tools",
    effect: "tools are dropped; a request that requires a tool call is rejected",
  },
  reasoning: {
    label: "Reasoning",
    type: "choice",
    values: REASONING_SUPPORT,
    meaning: "whether the model reasons, and whether that can be switched off",
    effect:
      "`unsupported`: reasoning options are dropped, and switching reasoning off is not a loss. `required`: a request that switches it off gets the lowest effort",
  },
  reasoning_efforts: {
    label: "Reasoning efforts",
    type: "list",
    values: REASONING_EFFORTS,
    meaning: "the accepted efforts",
    effect: "another effort becomes the nearest accepted one below it, or the lowest",
  },
  default_effort: {
    label: "Default effort",
    type: "choice",
    values: REASONING_EFFORTS,
    meaning: "the effort of a request that does not name one",
    effect: "decides whether such a request counts as reasoning",
  },
  reasoning_off: {
    label: "Switching reasoning off",
    type: "choice",
    values: REASONING_SWITCHES,
    meaning: "the field that switches reasoning off in OpenAI's chat format",
    effect:
      'the effort `none`, `enable_thinking: false` or `thinking: {"type": "disabled"}` is sent',
  },
  reasoning_history: {
    label: "Reasoning of earlier turns",
    type: "flag",
    meaning: "whether assistant turns with tool calls must have `reasoning_content`",
    effect: "such turns get it, even if it is empty",
  },
  rejected_parameters: {
    label: "Rejected parameters",
    type: "list",
    values: REJECTABLE_PARAMETERS,
    mayBeEmpty: true,
    meaning: "the parameters that the model rejects",
    effect:
      "they are dropped; a value that equals the default is not a loss. Instead of sending `stop`, the gateway itself ends the response at the sequence",
  },
  sampling_without_reasoning: {
    label: "Sampling without reasoning",
    type: "flag",
    meaning: "whether rejected sampling parameters are accepted while reasoning is off",
    effect: "they are dropped only from requests that reason",
  },
  max_user_length: {
    label: "Maximum length of user",
    type: "number",
    range: RULE_RANGES.max_user_length,
    meaning:
      "the maximum length of `user`, `safety_identifier` and `prompt_cache_key`, in characters",
    effect: "a longer value is replaced by its hash, which is always the same",
  },
  max_tokens_field: {
    label: "Output limit field",
    type: "choice",
    values: MAX_TOKENS_FIELDS,
    meaning: "the name of the output limit in OpenAI's chat format",
    effect: "the limit is sent under that name; it is never dropped",
  },
  modalities: {
    label: "Modalities of responses",
    type: "list",
    values: MODALITIES,
    meaning:
      "the modalities of its responses; a model of another kind with this rule can be called as a chat model",
    effect: "modalities that the caller's format cannot contain are not requested",
  },
  answer_formats: {
    label: "Answer formats",
    type: "list",
    values: ANSWER_FORMATS,
    mayBeEmpty: true,
    meaning: "the accepted response formats in addition to text",
    effect:
      "another format becomes an accepted one, a tool that the model must call (`schema_as_tool`), or an instruction",
  },
  json_word_required: {
    label: "Word JSON",
    type: "flag",
    meaning: "whether a request for a JSON object must have the word JSON in its messages",
    effect: "an instruction with the word is added if it is missing",
  },
  schema_as_tool: {
    label: "Schema as a tool",
    type: "flag",
    meaning:
      "whether a schema that the model rejects as a response format can be the schema of a tool",
    effect: "such a schema becomes a tool that the model must call; otherwise an instruction",
  },
  schema_root_object: {
    label: "Object as the root of a schema",
    type: "flag",
    meaning: "whether the schema of a response must describe an object",
    effect: "another schema is wrapped in an object, and the response is unwrapped",
  },
  schema_described_keywords: {
    label: "Described keywords",
    type: "list",
    values: SCHEMA_KEYWORDS,
    mayBeEmpty: true,
    meaning: "the keywords of schemas that it rejects (`minItems`: values above 1)",
    effect: "they are moved to the description, which the model still reads",
  },
  schema_rejected_keywords: {
    label: "Rejected keywords",
    type: "list",
    values: SCHEMA_KEYWORDS,
    mayBeEmpty: true,
    meaning: "the rejected keywords that a schema cannot lose without changing its meaning",
    effect: "a schema with one of them is not sent as a format; a strict tool is not strict",
  },
  schema_closed_objects: {
    label: "Closed objects",
    type: "flag",
    meaning: "whether every object of a schema must list its properties and forbid others",
    effect: "objects are closed; a schema that would change its meaning is not sent as a format",
  },
  schema_recursion: {
    label: "Recursive schemas",
    type: "flag",
    meaning: "whether a schema may contain itself",
    effect: "a recursive schema is not sent as a format; a strict tool is not strict",
  },
  strict_requires_all: {
    label: "Strict schemas require all",
    type: "flag",
    meaning: "whether a strict schema must require all properties of its closed objects",
    effect: "another schema is sent without `strict`",
  },
  max_tools: {
    label: "Maximum tools",
    type: "number",
    range: RULE_RANGES.max_tools,
    meaning: "the maximum number of tools",
    effect: "the first tools are kept, together with a required one",
  },
  max_strict_tools: {
    label: "Maximum strict tools",
    type: "number",
    range: RULE_RANGES.max_strict_tools,
    meaning: "the maximum number of strict tools",
    effect: "only the first tools stay strict",
  },
  max_tool_name_length: {
    label: "Maximum length of tool names",
    type: "number",
    range: RULE_RANGES.max_tool_name_length,
    meaning: "the maximum length of the name of a tool, in characters",
    effect: "a longer name is shortened and gets a hash; the caller gets its own name back",
  },
  tool_name_characters: {
    label: "Characters of tool names",
    type: "list",
    values: TOOL_NAME_CHARACTERS,
    mayBeEmpty: true,
    meaning: "the allowed characters of tool names in addition to ASCII letters, digits and `_`",
    effect:
      "other characters become `_`, and the name gets a hash; the caller gets its own name back",
  },
  tool_name_starts_with_letter: {
    label: "Start of tool names",
    type: "flag",
    meaning: "whether the name of a tool must start with a letter or `_`",
    effect: "another name gets `_` in front and a hash; the caller gets its own name back",
  },
  max_call_id_length: {
    label: "Maximum length of call IDs",
    type: "number",
    range: RULE_RANGES.max_call_id_length,
    meaning: "the maximum length of the ID of a tool call, in characters",
    effect: "a longer id is replaced by a shorter one, which is always the same",
  },
  tool_choice: {
    label: "Tool choice",
    type: "flag",
    meaning: "whether a tool call can be required or forbidden",
    effect: "the model decides; if calls are forbidden, the tools are left out",
  },
  tool_choice_with_reasoning: {
    label: "Tool choice with reasoning",
    type: "flag",
    meaning: "whether a tool call can be required while the model reasons",
    effect: "reasoning is switched off unless the request asks for it; then the model decides",
  },
  turns_end_with_user: {
    label: "Last user turn",
    type: "flag",
    meaning: "whether the last turn must not be the assistant's",
    effect: "a user turn is added: `Continue.`",
  },
  turns_alternate: {
    label: "Alternating turns",
    type: "flag",
    meaning: "whether user and assistant turns must alternate",
    effect: "consecutive turns of the same speaker are joined",
  },
  turns_answer_results: {
    label: "Turns after tool results",
    type: "flag",
    meaning: "whether an assistant turn must separate a tool result from the user's next turn",
    effect: "an assistant turn is added: `Understood.`",
  },
  instructions_first: {
    label: "Instructions first",
    type: "flag",
    meaning: "whether instructions must be at the start",
    effect: "later instructions are moved to the start",
  },
  prefill_field: {
    label: "Field of an unfinished turn",
    type: "choice",
    values: PREFILL_FIELDS,
    meaning: "the member that marks an unfinished assistant turn for the model to continue",
    effect: "the last turn gets it with `true` if it is an assistant's text",
  },
  max_images: {
    label: "Maximum images",
    type: "number",
    range: RULE_RANGES.max_images,
    meaning: "the maximum number of images in a request",
    effect: "the oldest images are left out",
  },
  max_cache_marks: {
    label: "Maximum cache marks",
    type: "number",
    range: RULE_RANGES.max_cache_marks,
    meaning: "the maximum number of cache marks in a request",
    effect: "the last marks are kept",
  },
  pdf_engine: {
    label: "PDF engine",
    type: "choice",
    values: PDF_ENGINES,
    meaning: "how PDF files are read at a provider that can parse them for the model",
    effect:
      "a request with a file names this engine, unless it names one itself or the engine is `native`",
  },
  server_order: {
    label: "Server order",
    type: "choice",
    values: SERVER_ORDERS,
    meaning: "how a provider that resells models chooses among its servers of a model",
    effect:
      "with `price`, a request asks for the cheapest server; with `any`, the provider may use servers that cost more",
  },
}

export const RULE_NAMES = Object.keys(MODEL_RULES) as readonly RuleName[]

/** Formats a rule's meaning as a separate sentence, without Markdown. */
export function ruleSentence(meaning: string): string {
  const plain = meaning.replaceAll("`", "")
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`
}
