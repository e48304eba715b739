/**
 * The features that a family of models behind Converse accepts. All models share one API, but each maker's models
 * reject different fields with status 400. Fields that Converse lacks are sent in `additionalModelRequestFields` in the
 * maker's form.
 */
export interface ModelFamily {
  /** Matches the vendor's name for the model, after any prefix for a region or profile. */
  readonly pattern: RegExp
  /**
   * How thinking is requested. `budget`: Claude's `thinking` with a budget. `budget-or-adaptive`: with a budget, or
   * adaptive with an effort. `adaptive`: adaptive with an effort only. `nova`: Nova's `reasoningConfig`. `flat-effort`
   * and `nested-effort`: `reasoning_effort` and `reasoning.effort` of OpenAI's models.
   */
  readonly reasoning:
    | "none"
    | "budget"
    | "budget-or-adaptive"
    | "adaptive"
    | "nova"
    | "flat-effort"
    | "nested-effort"
  /** Accepted efforts, from the lowest to the highest. */
  readonly efforts: readonly string[]
  /** The form in which `top_k` is sent. */
  readonly topK: "none" | "claude" | "nova"
  /** Whether temperature and `top_p` are accepted: both, only one of them, or neither. */
  readonly sampling: "both" | "one" | "none"
  /**
   * The temperature that is sent if the caller did not set a temperature. Set for models whose default temperature is
   * not 1, because callers expect 1.
   */
  readonly omittedTemperature?: number
  /** Maximum stop sequences. */
  readonly stops: number
  /** Whether stop sequences may be blank. */
  readonly blankStops: boolean
  /** Whether the response names the stop sequence that ended it. */
  readonly reportsStop: boolean
  /** The calls that can be required: a call to one tool, a call to any tool, or none. */
  readonly toolChoice: "tool" | "any" | "auto"
  /** Whether parallel calls can be disabled. */
  readonly parallelSwitch: boolean
  /** Whether output and arguments can be constrained by a JSON schema. */
  readonly structuredOutput: boolean
  /** Whether a tool's result may report that the tool failed. */
  readonly toolResultStatus: boolean
  /** Where cache points are allowed: nowhere, in system and messages, or also after tools. */
  readonly cache: "none" | "prompt" | "everywhere"
  /** Whether a cached prompt may last an hour. */
  readonly longCache: boolean
}

/** Features of an unknown model. It receives no optional fields, because it could reject them. */
const PLAIN = {
  reasoning: "none",
  efforts: [],
  topK: "none",
  sampling: "both",
  stops: 4,
  blankStops: true,
  reportsStop: false,
  toolChoice: "auto",
  parallelSwitch: false,
  structuredOutput: false,
  toolResultStatus: false,
  cache: "none",
  longCache: false,
} as const satisfies Omit<ModelFamily, "pattern">

const CLAUDE = {
  ...PLAIN,
  topK: "claude",
  blankStops: false,
  reportsStop: true,
  toolChoice: "tool",
  toolResultStatus: true,
} as const

/** Features of Claude 3.7 and later. */
const THINKING_CLAUDE = { ...CLAUDE, reasoning: "budget", cache: "everywhere" } as const

/** Features of Claude 4.5 and later. */
const NEWER_CLAUDE = {
  ...THINKING_CLAUDE,
  sampling: "one",
  parallelSwitch: true,
  structuredOutput: true,
  longCache: true,
} as const

/** Features of Claude 4.7 and later. These models decide how much they think, and reject sampling parameters. */
const ADAPTIVE_CLAUDE = {
  ...NEWER_CLAUDE,
  structuredOutput: false,
  reasoning: "adaptive",
  efforts: ["low", "medium", "high", "xhigh", "max"],
  topK: "none",
  sampling: "none",
} as const

const NOVA = {
  ...PLAIN,
  // Nova's default temperature is 0.7 (docs.aws.amazon.com/nova/latest/userguide/complete-request-schema.html).
  omittedTemperature: 1,
  topK: "nova",
  toolChoice: "tool",
  toolResultStatus: true,
  cache: "prompt",
} as const

/**
 * The model families, with narrower patterns before wider ones. Sources: the documentation of Amazon Bedrock (adaptive
 * thinking, structured outputs, prompt caching), the user guide of Nova 2, docs/contribute/wire/bedrock-converse.md#f10
 * and its recordings.
 */
export const FAMILIES: readonly ModelFamily[] = [
  { ...CLAUDE, pattern: /anthropic\.claude-(?:v\d|instant|3-(?!7))/ },
  { ...THINKING_CLAUDE, pattern: /anthropic\.claude-(?:3-7|(?:opus|sonnet)-4-\d{8})/ },
  { ...THINKING_CLAUDE, sampling: "one", pattern: /anthropic\.claude-opus-4-1/ },
  { ...NEWER_CLAUDE, pattern: /anthropic\.claude-\w+-4-5/ },
  {
    ...NEWER_CLAUDE,
    reasoning: "budget-or-adaptive",
    efforts: ["low", "medium", "high", "max"],
    pattern: /anthropic\.claude-\w+-4-6/,
  },
  {
    ...ADAPTIVE_CLAUDE,
    structuredOutput: true,
    toolChoice: "auto",
    pattern: /anthropic\.claude-(?:\w+-5-5|fable-5-1)/,
  },
  { ...ADAPTIVE_CLAUDE, structuredOutput: true, pattern: /anthropic\.claude-\w+-5/ },
  { ...ADAPTIVE_CLAUDE, pattern: /anthropic\.claude-/ },
  {
    ...NOVA,
    reasoning: "nova",
    efforts: ["low", "medium", "high"],
    pattern: /amazon\.nova-2-/,
  },
  { ...NOVA, pattern: /amazon\.nova-/ },
  {
    ...PLAIN,
    reasoning: "flat-effort",
    efforts: ["low", "medium", "high"],
    structuredOutput: true,
    pattern: /openai\.gpt-oss-/,
  },
  {
    ...PLAIN,
    reasoning: "nested-effort",
    efforts: ["none", "low", "medium", "high", "xhigh"],
    sampling: "none",
    stops: 0,
    pattern: /(?:^|[./])openai\./,
  },
  {
    ...PLAIN,
    omittedTemperature: 1,
    toolChoice: "any",
    structuredOutput: true,
    pattern: /mistral\.mistral-large-3/,
  },
  { ...PLAIN, omittedTemperature: 1, toolChoice: "any", pattern: /mistral\.mistral-large/ },
  // The default temperature is 0.5 for Llama, 0.5 or 0.7 for Mistral, and 0.3 for Command R
  // (docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html).
  {
    ...PLAIN,
    omittedTemperature: 1,
    pattern: /meta\.llama|mistral\.(?:mistral-(?:7b|small)|mixtral)|cohere\.command-r/,
  },
  {
    ...PLAIN,
    structuredOutput: true,
    pattern:
      /deepseek\.v3|google\.gemma-3-(?:12|27)b|mistral\.(?:devstral|magistral|ministral|voxtral)|moonshot(?:ai)?\.kimi|nvidia\.nemotron|qwen\.qwen3|zai\.glm/,
  },
]

const UNKNOWN: ModelFamily = { ...PLAIN, pattern: /^/ }

/** Returns the family of a model, by the vendor's name for the model. */
export function familyOf(model: string, families: readonly ModelFamily[]): ModelFamily {
  return families.find(({ pattern }) => pattern.test(model)) ?? UNKNOWN
}

/**
 * The features of an operator's models on Bedrock, in addition to those of the known models. The data comes from the
 * vendors' table.
 */
export interface BedrockConverseQuirks {
  /**
   * Model families by name. The first match applies. The names of inference profiles do not show the model, so each
   * profile needs a row. Otherwise, it is treated as an unknown model.
   */
  readonly families: readonly ModelFamily[]
}

/** The quirks of the known models. */
export const BEDROCK_QUIRKS: BedrockConverseQuirks = Object.freeze({ families: FAMILIES })
