import type { ModelRules, RuleName } from "tollgate-contract/model-rules.ts"
import type { Format, OfferedTool, Situation, Turn } from "./situation.ts"

/** A request that a provider documents as rejected, and what becomes of it. */
export interface RejectedRequest {
  readonly rule: RuleName
  /** The rule does something else too: which part is tried. */
  readonly name?: string
  /** Vendors with a model of each. */
  readonly at: readonly (readonly [vendor: string, model: string])[]
  readonly asked: Situation
  /** What takes the rule back: the provider then rejects the request. */
  readonly lifted: ModelRules
  /** What the provider says. */
  readonly rejection: RegExp
  /** What is reported if the request is changed; null: the change loses nothing. */
  readonly loss: string | null
  /** The formats in which the request can mean this; absent: all that can express it. */
  readonly formats?: readonly Format[]
  /** Formats in which the request is accepted without the rule too, since it is translated. */
  readonly unaffected?: readonly Format[]
}

const user = (text: string, more: Partial<Turn> = {}): Turn => ({ role: "user", text, ...more })
const assistant = (text: string): Turn => ({ role: "assistant", text })
const LOOK: readonly OfferedTool[] = [{ name: "look" }]
const called = (id: string): readonly Turn[] => [
  user("Look."),
  { role: "assistant", call: id },
  { role: "user", result: id },
]
const many = (count: number, isStrict?: true): readonly OfferedTool[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `tool_${index}`,
    ...(isStrict && { isStrict }),
  }))
const object = (properties: object, required = Object.keys(properties)): object => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
})
const LIST = { type: "array", items: { type: "string" } }
const LONG_NAME = `mcp__plugin_${"x".repeat(80)}`
const ALL_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]
const COMPATIBLE: RejectedRequest["at"] = [
  ["deepseek", "deepseek-v4-pro"],
  ["groq", "llama-3.3-70b-versatile"],
  ["mistral", "mistral-large-latest"],
  ["moonshot", "kimi-k2.6"],
  ["xai", "grok-4.3"],
  ["zai", "glm-4.6"],
  ["alibaba", "qwen3-max"],
  ["cerebras", "gpt-oss-120b"],
  ["fireworks", "accounts/fireworks/models/kimi-k2"],
  ["nvidia", "meta/llama-3.3-70b-instruct"],
  ["openrouter", "openai/gpt-4.1"],
]
const REASONING: RejectedRequest["at"] = [
  ["openai", "o4-mini"],
  ["openai", "gpt-5"],
  ["azure", "gpt-5.5"],
]

const parameter = (
  name: string,
  asked: Situation,
  rejection: RegExp,
  loss: string | null,
  unaffected: readonly Format[] = [],
): RejectedRequest => ({
  rule: "rejected_parameters",
  name,
  at: REASONING,
  asked,
  lifted: { rejected_parameters: [] },
  rejection,
  loss,
  unaffected,
})

/** What OpenAI, Azure and the vendors of their formats reject. */
const OPENAI: readonly RejectedRequest[] = [
  parameter(
    "temperature",
    { temperature: 0.3 },
    /'temperature' does not support 0.3/,
    "temperature:dropped",
  ),
  parameter("top_p", { topP: 0.5 }, /'top_p' does not support 0.5/, "top_p:dropped"),
  parameter(
    "presence_penalty",
    { presencePenalty: 1 },
    /'presence_penalty' does not support 1/,
    "presence_penalty:dropped",
  ),
  parameter(
    "frequency_penalty",
    { frequencyPenalty: 1 },
    /'frequency_penalty' does not support 1/,
    "frequency_penalty:dropped",
  ),
  parameter(
    "logprobs",
    { logprobs: true },
    /'(?:top_)?logprobs' is not supported/,
    "logprobs:dropped",
  ),
  // The gateway itself ends answers to callers that are told of the sequence.
  parameter("stop", { stop: ["never"] }, /'stop' is not supported/, null, ["messages"]),
  {
    rule: "sampling_without_reasoning",
    at: [["openai", "gpt-5.4"]],
    asked: { temperature: 0.3, effort: "high" },
    lifted: { rejected_parameters: [] },
    rejection: /'temperature' does not support 0.3/,
    loss: "temperature:dropped",
  },
  {
    rule: "tool_api",
    at: [
      ["openai", "gpt-5.4"],
      ["azure", "gpt-5.6-terra"],
    ],
    asked: { tools: LOOK, effort: "high" },
    lifted: { tool_api: "any" },
    rejection: /Function tools with reasoning_effort are not supported/,
    loss: null,
    unaffected: ["responses", "gemini"],
  },
  {
    rule: "reasoning",
    name: "unsupported",
    at: [
      ["openai", "gpt-4.1"],
      ["azure", "gpt-4o"],
      ["groq", "llama-3.3-70b-versatile"],
      ["xai", "grok-4.20-0309-non-reasoning"],
    ],
    asked: { effort: "high" },
    lifted: { reasoning: "supported", rejected_parameters: [] },
    rejection: /reasoning_?[Ee]ffort|reasoning\.effort/,
    loss: "reasoning:dropped",
  },
  {
    rule: "reasoning",
    name: "unsupported and switched off",
    at: [
      ["openai", "gpt-4.1"],
      ["groq", "llama-3.3-70b-versatile"],
    ],
    asked: { effort: "none" },
    lifted: { reasoning: "supported", rejected_parameters: [] },
    rejection: /reasoning_effort|reasoning\.effort/,
    loss: null,
  },
  {
    rule: "reasoning",
    name: "required",
    at: [["moonshot", "kimi-k3"]],
    asked: { effort: "none" },
    lifted: { reasoning: "supported" },
    rejection: /only type=enabled is allowed/,
    loss: "reasoning_effort:approximated",
  },
  {
    rule: "reasoning_efforts",
    at: [
      ["openai", "o4-mini"],
      ["openai", "gpt-5.1"],
      ["azure", "gpt-5"],
      ["groq", "openai/gpt-oss-120b"],
    ],
    asked: { effort: "max" },
    lifted: { reasoning_efforts: ALL_EFFORTS },
    rejection: /(?:'max'|must be one of)/,
    loss: "reasoning_effort:approximated",
  },
  {
    rule: "reasoning_efforts",
    name: "none",
    at: [
      ["openai", "o3"],
      ["openai", "gpt-5"],
    ],
    asked: { effort: "none" },
    lifted: { reasoning_efforts: ALL_EFFORTS },
    rejection: /'none'/,
    loss: "reasoning_effort:approximated",
    formats: ["chat", "responses", "messages"],
  },
  {
    rule: "max_user_length",
    at: [
      ["openai", "gpt-4.1"],
      ["azure", "gpt-4.1"],
      ["groq", "llama-3.3-70b-versatile"],
      ["openrouter", "openai/gpt-4.1"],
    ],
    asked: { user: "u".repeat(160) },
    lifted: { max_user_length: 10_000 },
    rejection: /'user': string too long/,
    loss: "user:approximated",
  },
  {
    rule: "max_user_length",
    name: "prompt_cache_key",
    at: [["openai", "gpt-4.1"]],
    asked: { cacheKey: "k".repeat(69) },
    lifted: { max_user_length: 10_000 },
    rejection: /'prompt_cache_key': string too long/,
    loss: "prompt_cache_key:approximated",
  },
  {
    rule: "max_user_length",
    name: "safety_identifier",
    at: [["openai", "gpt-4.1"]],
    asked: { safetyIdentifier: "s".repeat(69) },
    lifted: { max_user_length: 10_000 },
    rejection: /'safety_identifier': string too long/,
    loss: "safety_identifier:approximated",
  },
  {
    rule: "max_tools",
    at: [
      ["openai", "gpt-4.1"],
      ["groq", "llama-3.3-70b-versatile"],
      ["xai", "grok-4.3"],
      ["deepseek", "deepseek-v4-pro"],
      ["moonshot", "kimi-k2.6"],
      ["zai", "glm-4.6"],
    ],
    asked: { tools: many(130) },
    lifted: { max_tools: 10_000 },
    rejection: /'tools': array too long/,
    loss: "tools:dropped",
  },
  {
    rule: "max_tool_name_length",
    at: [["openai", "gpt-4.1"], ["azure", "gpt-4o"], ...COMPATIBLE],
    asked: { tools: [{ name: LONG_NAME }] },
    lifted: { max_tool_name_length: 10_000 },
    rejection: /maximum length 64/,
    loss: null,
  },
  {
    rule: "tool_name_characters",
    at: [["openai", "gpt-4.1"], ...COMPATIBLE],
    asked: { tools: [{ name: "server.tool:read" }] },
    lifted: { tool_name_characters: ["-", ".", ":", "/"] },
    rejection: /does not match pattern/,
    loss: null,
  },
  {
    rule: "max_call_id_length",
    at: [["openai", "gpt-4.1"]],
    asked: { turns: called(`call_${"x".repeat(60)}`), tools: LOOK },
    lifted: { max_call_id_length: 10_000 },
    rejection: /id': string too long/,
    loss: null,
  },
  {
    rule: "json_word_required",
    at: [
      ["openai", "gpt-4.1"],
      ["azure", "gpt-4.1"],
      ["groq", "llama-3.3-70b-versatile"],
      ["deepseek", "deepseek-v4-pro"],
      ["alibaba", "qwen3-max"],
    ],
    asked: { isJson: true },
    lifted: { json_word_required: false },
    rejection: /word 'json'/,
    loss: null,
  },
  {
    rule: "schema_root_object",
    at: [
      ["openai", "gpt-4.1"],
      ["groq", "openai/gpt-oss-120b"],
      ["cerebras", "gpt-oss-120b"],
      ["fireworks", "accounts/fireworks/models/kimi-k2"],
      ["openrouter", "openai/gpt-4.1"],
    ],
    asked: { schema: LIST },
    lifted: { schema_root_object: false },
    rejection: /schema must be a JSON Schema of/,
    loss: "json_schema:emulated",
  },
  {
    rule: "strict_requires_all",
    name: "of an answer",
    at: [
      ["openai", "gpt-4.1"],
      ["groq", "openai/gpt-oss-120b"],
      ["cerebras", "gpt-oss-120b"],
    ],
    asked: { schema: object({ a: { type: "string" } }, []) },
    lifted: { strict_requires_all: false },
    rejection: /Missing 'a'/,
    loss: "json_schema:approximated",
    formats: ["chat", "responses"],
  },
  {
    rule: "strict_requires_all",
    name: "of a tool",
    at: [["openai", "gpt-4.1"]],
    asked: {
      tools: [{ name: "look", isStrict: true, parameters: object({ a: { type: "string" } }, []) }],
    },
    lifted: { strict_requires_all: false },
    rejection: /Missing 'a'/,
    loss: "tools.strict:dropped",
  },
  {
    rule: "answer_formats",
    at: [
      ["openai", "gpt-4-turbo"],
      ["openai", "gpt-4-0613"],
      ["groq", "llama-3.3-70b-versatile"],
      ["deepseek", "deepseek-v4-pro"],
      ["zai", "glm-4.6"],
    ],
    asked: { schema: object({ a: { type: "string" } }) },
    lifted: { answer_formats: ["json_schema", "json_object"] },
    rejection: /json_schema|unavailable now|only supports text/,
    loss: "json_schema:approximated",
  },
  {
    rule: "answer_formats",
    name: "without objects",
    at: [["perplexity", "sonar"]],
    asked: { isJson: true },
    lifted: { answer_formats: ["json_schema", "json_object"] },
    rejection: /must be text, json_schema or regex/,
    loss: "json_object:approximated",
  },
]

/** What other vendors of OpenAI's chat format reject. */
const OTHERS: readonly RejectedRequest[] = [
  {
    rule: "rejected_parameters",
    name: "penalties",
    at: [
      ["xai", "grok-4.3"],
      ["xai", "grok-code-fast-1"],
    ],
    asked: { presencePenalty: 0.5 },
    lifted: { rejected_parameters: [] },
    rejection: /does not support parameter presencePenalty/,
    loss: "presence_penalty:dropped",
  },
  {
    rule: "rejected_parameters",
    name: "default penalties",
    at: [["xai", "grok-4.3"]],
    asked: { presencePenalty: 0, frequencyPenalty: 0 },
    lifted: { rejected_parameters: [] },
    rejection: /does not support parameter presencePenalty/,
    loss: null,
  },
  {
    rule: "rejected_parameters",
    name: "stop",
    at: [["xai", "grok-4.3"]],
    asked: { stop: ["never"] },
    lifted: { rejected_parameters: [] },
    rejection: /does not support parameter stop/,
    loss: null,
    unaffected: ["messages"],
  },
  {
    rule: "rejected_parameters",
    name: "temperature",
    at: [
      ["moonshot", "kimi-k2.6"],
      ["moonshot", "kimi-k3"],
    ],
    asked: { temperature: 0.3 },
    lifted: { rejected_parameters: [] },
    rejection: /invalid temperature: only 1 is allowed/,
    loss: "temperature:dropped",
  },
  {
    rule: "rejected_parameters",
    name: "penalties",
    at: [["moonshot", "kimi-k2.6"]],
    asked: { presencePenalty: 0.5 },
    lifted: { rejected_parameters: [] },
    rejection: /invalid presence_penalty/,
    loss: "presence_penalty:dropped",
  },
  {
    rule: "reasoning_history",
    at: [["moonshot", "kimi-k2.6"]],
    asked: { turns: called("call_1"), tools: LOOK },
    lifted: { reasoning_history: false },
    rejection: /reasoning_content/,
    loss: null,
  },
  {
    rule: "reasoning_history",
    at: [["deepseek", "deepseek-v4-pro"]],
    asked: { turns: called("call_1"), tools: LOOK },
    lifted: { reasoning_history: false },
    rejection: /reasoning_content/,
    loss: null,
    unaffected: ["responses"],
  },
  {
    rule: "reasoning_off",
    at: [
      ["moonshot", "kimi-k2.6"],
      ["alibaba", "qwen3.6-plus"],
    ],
    asked: { effort: "none", tools: LOOK, choice: "required" },
    lifted: { reasoning_off: "none" },
    rejection: /tool_choice/,
    loss: null,
  },
  {
    rule: "tool_name_starts_with_letter",
    at: [["moonshot", "kimi-k2.6"]],
    asked: { tools: [{ name: "1password_read" }] },
    lifted: { tool_name_starts_with_letter: false },
    rejection: /does not match pattern/,
    loss: null,
  },
  {
    rule: "tool_choice_with_reasoning",
    at: [
      ["deepseek", "deepseek-v4-pro"],
      ["moonshot", "kimi-k2.6"],
      ["alibaba", "qwen3.6-plus"],
    ],
    asked: { tools: LOOK, choice: "required" },
    lifted: { tool_choice_with_reasoning: true },
    rejection: /tool_choice/,
    loss: "reasoning:dropped",
  },
  {
    rule: "tool_choice_with_reasoning",
    name: "and an effort",
    at: [
      ["deepseek", "deepseek-v4-pro"],
      ["moonshot", "kimi-k3"],
      ["alibaba", "qwen3.6-plus"],
    ],
    asked: { tools: LOOK, choice: "required", effort: "high" },
    lifted: { tool_choice_with_reasoning: true },
    rejection: /tool_choice/,
    loss: "tool_choice:approximated",
  },
  {
    rule: "tool_choice",
    at: [["zai", "glm-4.6"]],
    asked: { tools: LOOK, choice: "required" },
    lifted: { tool_choice: true },
    rejection: /tool_choice only supports auto/,
    loss: "tool_choice:approximated",
  },
  {
    rule: "turns_end_with_user",
    at: [
      ["perplexity", "sonar"],
      ["openrouter", "anthropic/claude-opus-4.6"],
      ["anthropic", "claude-opus-4-8"],
      ["bedrock", "us.anthropic.claude-opus-4-7-v1:0"],
    ],
    asked: { turns: [user("Go on."), assistant("Once upon")] },
    lifted: { turns_end_with_user: false },
    rejection: /Last message must have role|prefill/,
    loss: "messages:approximated",
  },
  {
    rule: "turns_alternate",
    at: [["perplexity", "sonar"]],
    asked: { turns: [user("Go on."), user("Please.")] },
    lifted: { turns_alternate: false },
    rejection: /should alternate/,
    loss: "messages:approximated",
  },
  {
    rule: "instructions_first",
    at: [["perplexity", "sonar"]],
    asked: {
      turns: [
        user("Go on."),
        assistant("Yes."),
        { role: "system", text: "Be brief." },
        user("More."),
      ],
    },
    lifted: { instructions_first: false },
    rejection: /should alternate/,
    loss: "system.position:approximated",
    formats: ["chat", "responses"],
  },
  {
    rule: "turns_answer_results",
    at: [["mistral", "mistral-large-latest"]],
    asked: { turns: [...called("call_1"), user("And now?")], tools: LOOK },
    lifted: { turns_answer_results: false },
    rejection: /Unexpected role 'user' after role 'tool'/,
    loss: "messages:approximated",
  },
  {
    rule: "prefill_field",
    at: [
      ["mistral", "mistral-large-latest"],
      ["moonshot", "kimi-k2.6"],
    ],
    asked: { turns: [user("Go on."), assistant("Once upon")] },
    lifted: { prefill_field: "any" },
    rejection: /prefix True|must be partial/,
    loss: null,
  },
  {
    rule: "max_images",
    at: [
      ["groq", "meta-llama/llama-4-scout-17b-16e-instruct"],
      ["mistral", "pixtral-large-latest"],
      ["bedrock", "amazon.nova-pro-v1:0"],
      ["bedrock", "us.anthropic.claude-opus-4-7-v1:0"],
    ],
    asked: { turns: [user("What is it?", { images: 21 })] },
    lifted: { max_images: 10_000 },
    rejection: /[Tt]oo many images|Number of images/,
    loss: "image:dropped",
  },
]

const CLAUDE: RejectedRequest["at"] = [["anthropic", "claude-opus-4-8"]]

/** What Anthropic, Amazon and Google reject. */
const MAKERS: readonly RejectedRequest[] = [
  {
    rule: "max_user_length",
    at: CLAUDE,
    asked: { user: "u".repeat(300) },
    lifted: { max_user_length: 10_000 },
    rejection: /at most 256 characters/,
    loss: "user:approximated",
  },
  {
    rule: "max_images",
    at: CLAUDE,
    asked: { turns: [user("What is it?", { images: 101 })] },
    lifted: { max_images: 10_000 },
    rejection: /Too many images/,
    loss: "image:dropped",
  },
  {
    rule: "max_cache_marks",
    at: [...CLAUDE, ["bedrock", "us.anthropic.claude-opus-4-7-v1:0"]],
    asked: {
      turns: ["1", "2", "3", "4", "5"].flatMap((text, index) => [
        ...(index === 0 ? [] : [assistant("Yes.")]),
        user(text, { isMarked: true }),
      ]),
    },
    lifted: { max_cache_marks: 10_000 },
    rejection: /A maximum of 4 blocks with cache_control/,
    loss: "cache_control:approximated",
  },
  {
    rule: "max_tool_name_length",
    at: [["google", "gemini-3.6-flash"]],
    asked: { tools: [{ name: LONG_NAME }] },
    lifted: { max_tool_name_length: 10_000, tool_name_characters: ["-"] },
    rejection: /maximum length of 64/,
    loss: null,
  },
  {
    rule: "max_tool_name_length",
    at: CLAUDE,
    asked: { tools: [{ name: `${LONG_NAME}${LONG_NAME}` }] },
    lifted: { max_tool_name_length: 10_000 },
    rejection: /should match pattern/,
    loss: null,
  },
  {
    rule: "tool_name_characters",
    at: CLAUDE,
    asked: { tools: [{ name: "server.tool:read" }] },
    lifted: { tool_name_characters: ["-", ".", ":", "/"] },
    rejection: /should match pattern/,
    loss: null,
  },
  {
    rule: "tool_name_starts_with_letter",
    at: [["google", "gemini-3.6-flash"]],
    asked: { tools: [{ name: "1password_read" }] },
    lifted: { tool_name_starts_with_letter: false },
    rejection: /Must start with a letter or an underscore/,
    loss: null,
  },
  {
    rule: "answer_formats",
    at: [
      ["anthropic", "claude-sonnet-4-20250514"],
      ["anthropic", "claude-3-5-haiku-20241022"],
    ],
    asked: { schema: object({ a: { type: "string" } }) },
    lifted: { answer_formats: ["json_schema"] },
    rejection: /does not support structured outputs/,
    loss: "json_schema:approximated",
    // The format's own encoder knows these models too.
    unaffected: ["chat", "responses", "gemini"],
  },
  {
    rule: "schema_described_keywords",
    at: CLAUDE,
    asked: { schema: object({ n: { type: "integer", minimum: 1, maximum: 5 } }) },
    lifted: { schema_described_keywords: [] },
    rejection: /property 'minimum' is not supported/,
    loss: "json_schema:approximated",
  },
  {
    rule: "schema_rejected_keywords",
    at: CLAUDE,
    asked: { schema: object({ n: { not: { type: "string" } } }) },
    lifted: { schema_rejected_keywords: [] },
    rejection: /'not'/,
    loss: "json_schema:approximated",
  },
  {
    rule: "schema_closed_objects",
    at: CLAUDE,
    asked: { schema: { ...object({ a: { type: "string" } }), additionalProperties: true } },
    lifted: { schema_closed_objects: false },
    rejection: /'additionalProperties' must be explicitly set to false/,
    loss: "json_schema:approximated",
  },
  {
    rule: "schema_recursion",
    at: CLAUDE,
    asked: {
      schema: {
        ...object({ tree: { $ref: "#/$defs/node" } }),
        $defs: { node: object({ next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } }) },
      },
    },
    lifted: { schema_recursion: true },
    rejection: /Circular reference/,
    loss: "json_schema:approximated",
  },
  {
    rule: "max_strict_tools",
    at: CLAUDE,
    asked: { tools: many(21, true) },
    lifted: { max_strict_tools: 10_000 },
    rejection: /Too many strict tools/,
    loss: "tools.strict:dropped",
  },
  {
    rule: "modalities",
    at: [["google", "gemini-2.5-flash-preview-tts"]],
    asked: {},
    lifted: { modalities: ["text"] },
    rejection: /combination of response modalities/,
    loss: null,
    formats: ["chat", "responses", "gemini"],
  },
]

export const REJECTED_REQUESTS: readonly RejectedRequest[] = [...OPENAI, ...OTHERS, ...MAKERS]
