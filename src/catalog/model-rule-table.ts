import type { ModelRules, RejectableParameter } from "#contract/model-rules.ts"

/** Rules that the lists of models do not have. Of several rows that match, a later one overrides an earlier one. */
export interface RuleRow {
  readonly vendors: readonly string[]
  /** The matching models, in words. */
  readonly applies: string
  /** Matches the vendor's own name for a model; absent: all of its models. */
  readonly models?: RegExp
  readonly rules: ModelRules
  /** Where the vendor documents it, or the response that it was seen in. */
  readonly source: string
}

const OPENAI = ["openai", "azure"]
const SAMPLING: readonly RejectableParameter[] = [
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "logprobs",
]
/** Vendors that pass requests on to models of others, or that serve them in OpenAI's formats. */
const COMPATIBLE = [
  "alibaba",
  "baseten",
  "cerebras",
  "cloudflare",
  "databricks",
  "deepinfra",
  "deepseek",
  "fireworks",
  "groq",
  "huggingface",
  "hyperbolic",
  "minimax",
  "mistral",
  "moonshot",
  "moonshot-cn",
  "nebius",
  "novita",
  "nvidia",
  "openrouter",
  "ovhcloud",
  "perplexity",
  "requesty",
  "sambanova",
  "scaleway",
  "siliconflow",
  "snowflake",
  "stepfun",
  "tencent",
  "together",
  "upstage",
  "vercel",
  "volcengine",
  "xai",
  "xiaomi",
  "zai",
  "zhipu",
]
/** Moonshot's platforms, inside China and outside. */
const MOONSHOT = ["moonshot", "moonshot-cn"]
/** Z.ai's platforms, outside China and inside. */
const ZAI = ["zai", "zhipu"]
const CLAUDE_VENDORS = ["anthropic", "azure", "bedrock", "vertex"]
const NUMBER_KEYWORDS = [
  "exclusiveMaximum",
  "exclusiveMinimum",
  "maxItems",
  "maxLength",
  "maximum",
  "minItems",
  "minLength",
  "minimum",
  "multipleOf",
  "uniqueItems",
] as const
const REASONING_MODELS = /^(?:o[134](?:-|$)|gpt-[5-9](?!-chat|\.\d-chat))/

/** The built-in rules. */
export const RULE_TABLE: readonly RuleRow[] = [
  {
    vendors: [...OPENAI, "groq"],
    applies: "all",
    rules: { max_user_length: 64 },
    source: "platform.openai.com/docs/api-reference/chat/create: string too long, maximum 64",
  },
  {
    vendors: ["openrouter"],
    applies: "all",
    rules: { max_user_length: 128 },
    source: "openrouter.ai/docs/api-reference/chat-completion",
  },
  {
    vendors: OPENAI,
    applies: "o1, o3, o4, gpt-5 and later, without chat models",
    models: REASONING_MODELS,
    rules: {
      reasoning_efforts: ["low", "medium", "high"],
      default_effort: "medium",
      rejected_parameters: SAMPLING,
    },
    source: "platform.openai.com/docs/guides/reasoning",
  },
  {
    vendors: OPENAI,
    applies: "o3, o4, gpt-5 and later, without chat models",
    models: /^(?:o[34](?:-|$)|gpt-[5-9](?!-chat|\.\d-chat))/,
    rules: { rejected_parameters: [...SAMPLING, "stop"] },
    source: "platform.openai.com/docs/api-reference/chat/create: stop is not supported",
  },
  {
    vendors: OPENAI,
    applies: "gpt-5.1 to gpt-5.4, without chat, codex and pro models",
    models: /^gpt-5\.[1-4](?!-c|-pro)/,
    rules: {
      default_effort: "none",
      rejected_parameters: [...SAMPLING, "stop"],
      sampling_without_reasoning: true,
    },
    source: "platform.openai.com/docs/guides/latest-model: supported only with the effort none",
  },
  {
    vendors: OPENAI,
    applies: "gpt-5.4 and later, without chat models",
    models: /^gpt-(?:5\.[4-9]|[6-9])(?!-chat|\.\d-chat)/,
    rules: { tool_api: "openai-responses" },
    source:
      "openai-openapi#541: function tools with reasoning_effort are not supported in /v1/chat/completions",
  },
  {
    vendors: ["xai"],
    applies: "grok-3-mini, grok-4 and later, grok-code, without non-reasoning models",
    models: /^grok-(?:3-mini|[4-9]|code)(?!.*non-reasoning)/,
    rules: { rejected_parameters: ["presence_penalty", "frequency_penalty", "stop"] },
    source: "docs.x.ai/docs/guides/reasoning: not supported by reasoning models",
  },
  {
    vendors: ["google", "vertex"],
    applies: "image models",
    models: /^gemini-.*image/,
    rules: { modalities: ["text", "image"] },
    source: "ai.google.dev/gemini-api/docs/image-generation",
  },
  {
    vendors: ["google", "vertex"],
    applies: "speech models",
    models: /^gemini-.*tts/,
    rules: { modalities: ["audio"] },
    source: "ai.google.dev/gemini-api/docs/speech-generation",
  },
  {
    vendors: ["openrouter"],
    applies: "image models of Gemini and gpt-5",
    models: /^(?:google\/gemini-|openai\/gpt-5).*image/,
    rules: { modalities: ["text", "image"] },
    source: "openrouter.ai/docs/features/multimodal/image-generation",
  },
  {
    vendors: [...OPENAI, ...COMPATIBLE],
    applies: "all",
    rules: { max_tool_name_length: 64, tool_name_characters: ["-"] },
    source: "platform.openai.com/docs/api-reference/chat/create: tools[].function.name",
  },
  {
    vendors: OPENAI,
    applies: "all",
    rules: {
      max_tools: 128,
      max_call_id_length: 40,
      json_word_required: true,
      schema_root_object: true,
      strict_requires_all: true,
    },
    source:
      "platform.openai.com/docs/guides/structured-outputs#supported-schemas; its chat completions: 'messages' must contain the word 'json' in some form; array too long, maximum 128; tool_calls[0].id: string too long, maximum 40",
  },
  {
    vendors: OPENAI,
    applies: "gpt-3.5, gpt-4-turbo and gpt-4o-2024-05-13",
    models: /^(?:gpt-3\.5|gpt-4-turbo|gpt-4o-2024-05-13)/,
    rules: { answer_formats: ["json_object"] },
    source: "platform.openai.com/docs/guides/structured-outputs#json-mode",
  },
  {
    vendors: OPENAI,
    applies: "gpt-4, gpt-4-32k, o1-mini and o1-preview",
    models: /^(?:gpt-4(?:-0|-32k|$)|o1-(?:mini|preview))/,
    rules: { answer_formats: [] },
    source: "platform.openai.com/docs/guides/structured-outputs#json-mode",
  },
  {
    vendors: ["deepseek", "groq", ...MOONSHOT, "xai", ...ZAI],
    applies: "all",
    rules: { max_tools: 128 },
    source:
      "api-docs.deepseek.com/api/create-chat-completion; console.groq.com/docs/api-reference; platform.moonshot.ai/docs/api/chat; docs.x.ai/docs/guides/function-calling; docs.z.ai/api-reference/llm/chat-completion",
  },
  {
    vendors: ["cerebras", "groq"],
    applies: "all",
    rules: { strict_requires_all: true },
    source:
      "console.groq.com/docs/structured-outputs: strict mode, all fields must be required; inference-docs.cerebras.ai/capabilities/structured-outputs",
  },
  {
    vendors: MOONSHOT,
    applies: "all",
    rules: { tool_name_starts_with_letter: true },
    source: "platform.moonshot.ai/docs/guide/use-kimi-api-to-complete-tool-calls: name",
  },
  {
    vendors: MOONSHOT,
    applies: "kimi-k2.5 and later",
    models: /^kimi-k(?:2\.[5-9]|[3-9])/,
    rules: {
      reasoning_history: true,
      rejected_parameters: ["temperature", "top_p", "presence_penalty", "frequency_penalty"],
      tool_choice_with_reasoning: false,
    },
    source:
      "platform.moonshot.ai/docs/api/models-overview: fixed values; its chat completions: invalid temperature: only 1 is allowed for this model",
  },
  {
    vendors: MOONSHOT,
    applies: "kimi-k2-thinking, kimi-k2.7-code, kimi-k3 and later",
    models: /^kimi-k(?:2-thinking|2\.7-code|[3-9])/,
    rules: { reasoning: "required" },
    source:
      "platform.moonshot.ai/docs/api/models-overview: models that always think; java.agentscope.io/v2/en/integration/model/kimi",
  },
  {
    vendors: ["minimax", "tencent"],
    applies: "MiniMax-M2",
    models: /^minimax-m2/i,
    rules: { reasoning: "required" },
    source:
      "www.tencentcloud.com/document/product/1300/80637: MiniMax-M2.5 and M2.7, cannot be disabled",
  },
  {
    vendors: ["volcengine"],
    applies: "doubao-seed",
    models: /^doubao-seed-/,
    rules: { rejected_parameters: ["logprobs", "stop"] },
    source: "www.volcengine.com/docs/82379/1494384: not supported by models that reason",
  },
  {
    vendors: ["volcengine"],
    applies: "doubao-seed-1.8 and 2.0",
    models: /^doubao-seed-(?:1-8|2-0)-/,
    rules: { rejected_parameters: ["logprobs", "stop", "presence_penalty", "frequency_penalty"] },
    source: "www.volcengine.com/docs/82379/1494384: models without support",
  },
  {
    vendors: ["deepseek"],
    applies: "models that think by default: v4 and later, flash, pro and reasoner",
    models: /^deepseek-(?:v[4-9]|flash|pro|reasoner)/,
    rules: { tool_choice_with_reasoning: false },
    source: "its chat completions: Thinking mode does not support this tool_choice",
  },
  {
    vendors: ["alibaba"],
    applies: "qwen3-max, qwen3.5 and later, qwen-plus, qwen-flash and qwen-turbo",
    models: /^qwen(?:3-max|3\.[5-9]|-plus|-flash|-turbo)/,
    rules: { reasoning_off: "enable_thinking" },
    source: "help.aliyun.com/zh/model-studio/deep-thinking",
  },
  {
    vendors: ["alibaba"],
    applies: "all but qwen3.5 and later",
    models: /^(?!qwen3\.[5-9]|qwen[4-9])/,
    rules: { default_effort: "none" },
    source: "help.aliyun.com/zh/model-studio/deep-thinking: default of enable_thinking",
  },
  {
    vendors: ["alibaba"],
    applies: "all",
    rules: { tool_choice_with_reasoning: false },
    source:
      "its chat completions: The tool_choice parameter does not support being set to required or object in thinking mode",
  },
  {
    vendors: ["cerebras", "fireworks", "groq", "openrouter"],
    applies: "all",
    rules: { schema_root_object: true },
    source:
      "inference-docs.cerebras.ai/capabilities/structured-outputs: the root must be an object",
  },
  {
    vendors: ["alibaba", "deepseek", "groq"],
    applies: "all",
    rules: { json_word_required: true },
    source:
      "api-docs.deepseek.com/guides/json_mode: include the word json; help.aliyun.com/zh/model-studio/json-mode; console.groq.com/docs/structured-outputs",
  },
  {
    vendors: ["deepseek", "xiaomi", ...ZAI],
    applies: "all",
    rules: { answer_formats: ["json_object"] },
    source:
      "api-docs.deepseek.com/guides/json_mode: This response_format type is unavailable now; platform.xiaomimimo.com/docs/en-US/api/chat/openai-api; docs.z.ai/guides/capabilities/struct-output",
  },
  {
    vendors: ["groq"],
    applies: "all but gpt-oss, kimi-k2 and llama-4",
    models: /^(?!openai\/gpt-oss|moonshotai\/kimi-k2|meta-llama\/llama-4)/,
    rules: { answer_formats: ["json_object"] },
    source: "console.groq.com/docs/structured-outputs#supported-models",
  },
  {
    vendors: ["perplexity"],
    applies: "all",
    rules: {
      answer_formats: ["json_schema"],
      turns_end_with_user: true,
      turns_alternate: true,
      turns_answer_results: true,
      instructions_first: true,
    },
    source:
      "docs.perplexity.ai/guides/structured-outputs; its chat completions: Last message must have role `user` or `tool`; after system messages, user and assistant messages should alternate",
  },
  {
    vendors: ["xiaomi", ...ZAI],
    applies: "all",
    rules: { tool_choice: false },
    source:
      "docs.z.ai/api-reference/llm/chat-completion: tool_choice, only auto; platform.xiaomimimo.com/docs/en-US/api/chat/openai-api: other values are removed",
  },
  {
    vendors: ["mistral"],
    applies: "all",
    rules: { turns_answer_results: true, prefill_field: "prefix" },
    source:
      "docs.mistral.ai/api: prefix; its chat completions, code 3230: Unexpected role 'user' after role 'tool'",
  },
  {
    vendors: [...MOONSHOT, "alibaba"],
    applies: "all",
    rules: { prefill_field: "partial" },
    source:
      "platform.moonshot.ai/docs/guide/use-partial-mode; help.aliyun.com/zh/model-studio/partial-mode",
  },
  {
    vendors: ["anthropic"],
    applies: "all",
    rules: { max_user_length: 256 },
    source: "platform.claude.com/docs/en/api/messages: metadata.user_id, at most 256",
  },
  {
    vendors: CLAUDE_VENDORS,
    applies: "Claude",
    models: /claude/,
    rules: {
      max_tool_name_length: 128,
      tool_name_characters: ["-"],
      max_cache_marks: 4,
      max_images: 100,
    },
    source:
      "platform.claude.com/docs/en/api/messages: tools.name; prompt-caching: at most 4 breakpoints; vision: at most 100 images",
  },
  {
    vendors: ["anthropic", "azure", "vertex"],
    applies: "Claude",
    models: /claude/,
    rules: {
      schema_as_tool: true,
      schema_root_object: true,
      schema_described_keywords: NUMBER_KEYWORDS,
      schema_rejected_keywords: ["if", "not", "patternProperties", "prefixItems"],
      schema_closed_objects: true,
      schema_recursion: false,
      max_strict_tools: 20,
    },
    source:
      "platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations",
  },
  {
    vendors: ["anthropic", "azure", "vertex"],
    applies: "Claude 3 and 4, without 4.1 and later",
    models: /claude-(?:3|(?:opus|sonnet)-4(?!-[1-9](?!\d)))/,
    rules: { answer_formats: [] },
    source: "platform.claude.com/docs/en/build-with-claude/structured-outputs: supported models",
  },
  {
    vendors: ["bedrock"],
    applies: "all",
    rules: {
      max_tool_name_length: 64,
      tool_name_characters: ["-"],
      schema_root_object: true,
      max_images: 20,
    },
    source:
      "docs.aws.amazon.com/bedrock/latest/APIReference: ToolSpecification; ToolInputSchema; Message, at most 20 images",
  },
  {
    vendors: [...CLAUDE_VENDORS, "openrouter"],
    applies: "Claude 4.6 and later",
    models: /claude-(?:fable|mythos|(?:opus|sonnet|haiku)-(?:4[-.][678]|[5-9])(?!\d))/,
    rules: { turns_end_with_user: true },
    source:
      "its messages: This model does not support assistant message prefill. The conversation must end with a user message.",
  },
  {
    vendors: ["google", "vertex"],
    applies: "all but Claude",
    models: /^(?!.*claude)/,
    rules: {
      max_tool_name_length: 64,
      tool_name_characters: [".", ":", "-"],
      tool_name_starts_with_letter: true,
    },
    source:
      "ai.google.dev/api/caching#FunctionDeclaration: name, at most 64 characters; its generateContent: Must start with a letter or an underscore",
  },
  {
    vendors: ["google"],
    applies: "Gemini, without 2.0",
    models: /gemini-(?!2\.0)/,
    rules: { rejected_parameters: ["logprobs"] },
    source: "python-genai#1921, langchain-google#1266: Logprobs is not enabled",
  },
  {
    vendors: ["vertex"],
    applies: "Gemini 3 and later",
    models: /gemini-(?:[3-9]|\d\d)/,
    rules: { rejected_parameters: ["logprobs"] },
    source: "GoogleCloudPlatform/generative-ai#2947: Logprobs is not supported for this model",
  },
  {
    vendors: ["cohere"],
    applies: "all",
    rules: { tool_name_characters: [], schema_root_object: true },
    source:
      "docs.cohere.com/docs/structured-outputs: the top level has to be an object; docs.cohere.com/reference/errors: names of tools have letters, digits and _, and begin with no digit",
  },
  {
    vendors: ["alibaba", ...MOONSHOT],
    applies: "all",
    rules: { reasoning_efforts: ["low", "medium", "high"] },
    source:
      "CLIProxyAPI#1307: xhigh is not supported; help.aliyun.com/zh/model-studio/deep-thinking",
  },
  {
    vendors: ZAI,
    applies: "GLM-4",
    models: /^glm-4/,
    rules: { reasoning_efforts: ["low", "medium", "high"] },
    source: "docs.z.ai/guides/capabilities/thinking-mode; GLM-5.3 takes max",
  },
  {
    vendors: ["alibaba"],
    applies: "all",
    rules: { reasoning_off: "enable_thinking" },
    source: "help.aliyun.com/zh/model-studio/deep-thinking: enable_thinking",
  },
  {
    vendors: ["groq"],
    applies: "all",
    rules: { max_images: 5 },
    source: "console.groq.com/docs/vision: at most 5 images",
  },
  {
    vendors: ["mistral"],
    applies: "all",
    rules: { max_images: 8 },
    source: "docs.mistral.ai/capabilities/vision: at most 8 images",
  },
  {
    vendors: ["openrouter"],
    applies: "all but models that are listed as reading PDF files",
    rules: { pdf_engine: "cloudflare-ai" },
    source:
      "openrouter.ai/docs/guides/overview/multimodal/pdfs: without an engine, files of models that cannot read them are parsed by mistral-ocr, for $2 per 1,000 pages",
  },
]

/** The way to switch off reasoning, by vendor. */
export interface ReasoningSwitch {
  readonly off: NonNullable<ModelRules["reasoning_off"]>
  readonly source: string
}

export const SWITCHES: ReadonlyMap<string, ReasoningSwitch> = new Map([
  [
    "minimax",
    { off: "thinking", source: "platform.minimax.io/docs/api-reference/text-chat-openai" },
  ],
  ["alibaba", { off: "enable_thinking", source: "help.aliyun.com/zh/model-studio/deep-thinking" }],
  ["deepseek", { off: "none", source: "api-docs.deepseek.com/guides/reasoning_model" }],
  ...MOONSHOT.map((vendor): [string, ReasoningSwitch] => [
    vendor,
    { off: "thinking", source: "platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model" },
  ]),
  [
    "siliconflow",
    { off: "enable_thinking", source: "docs.siliconflow.com/capabilities/reasoning" },
  ],
  ["tencent", { off: "thinking", source: "www.tencentcloud.com/document/product/1300/80637" }],
  ["volcengine", { off: "thinking", source: "www.volcengine.com/docs/82379/1494384" }],
  ["xiaomi", { off: "thinking", source: "platform.xiaomimimo.com/docs/en-US/api/chat/openai-api" }],
  ...ZAI.map((vendor): [string, ReasoningSwitch] => [
    vendor,
    { off: "thinking", source: "docs.z.ai/guides/capabilities/thinking-mode" },
  ]),
])
