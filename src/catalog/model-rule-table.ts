import type { ModelRules, ReasoningSwitch, SamplingParameter } from "../canon/model-rules.ts"

/** Rules that the lists of models do not have. Of several rows that match, a later one overrides an earlier one. */
export interface RuleRow {
  readonly vendors: readonly string[]
  /** Matches the vendor's own name for a model; absent: all of its models. */
  readonly models?: RegExp
  readonly rules: ModelRules
  /** Where the vendor documents it, or the response that it was seen in. */
  readonly source: string
}

const OPENAI = ["openai", "azure"]
const SAMPLING: readonly SamplingParameter[] = [
  "temperature",
  "topP",
  "presencePenalty",
  "frequencyPenalty",
  "logprobs",
]
/** Vendors that pass requests on to models of others, or that serve them in OpenAI's formats. */
const COMPATIBLE = [
  "alibaba",
  "baseten",
  "cerebras",
  "deepinfra",
  "deepseek",
  "fireworks",
  "groq",
  "huggingface",
  "hyperbolic",
  "mistral",
  "moonshot",
  "nebius",
  "novita",
  "nvidia",
  "openrouter",
  "perplexity",
  "sambanova",
  "siliconflow",
  "together",
  "upstage",
  "vercel",
  "xai",
  "zai",
]
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
]
const REASONING_MODELS = /^(?:o[134](?:-|$)|gpt-[5-9](?!-chat|\.\d-chat))/

/** The built-in rules. */
export const RULE_TABLE: readonly RuleRow[] = [
  {
    vendors: [...OPENAI, "groq"],
    rules: { maxUserLength: 64 },
    source: "platform.openai.com/docs/api-reference/chat/create: string too long, maximum 64",
  },
  {
    vendors: ["openrouter"],
    rules: { maxUserLength: 128 },
    source: "openrouter.ai/docs/api-reference/chat-completion",
  },
  {
    vendors: OPENAI,
    models: REASONING_MODELS,
    rules: {
      reasoning: { efforts: ["low", "medium", "high"], defaultEffort: "medium" },
      sampling: { rejects: SAMPLING },
    },
    source: "platform.openai.com/docs/guides/reasoning",
  },
  {
    vendors: OPENAI,
    models: /^(?:o[34](?:-|$)|gpt-[5-9](?!-chat|\.\d-chat))/,
    rules: { sampling: { rejects: [...SAMPLING, "stop"] } },
    source: "platform.openai.com/docs/api-reference/chat/create: stop is not supported",
  },
  {
    vendors: OPENAI,
    models: /^gpt-5\.[1-4](?!-c|-pro)/,
    rules: {
      reasoning: { defaultEffort: "none" },
      sampling: { rejects: [...SAMPLING, "stop"], acceptsWithoutReasoning: true },
    },
    source: "platform.openai.com/docs/guides/latest-model: supported only with the effort none",
  },
  {
    vendors: OPENAI,
    models: /^gpt-(?:5\.[4-9]|[6-9])(?!-chat|\.\d-chat)/,
    rules: { toolDialect: "openai-responses" },
    source:
      "its chat completions: Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions",
  },
  {
    vendors: ["xai"],
    models: /^grok-(?:3-mini|[4-9]|code)(?!.*non-reasoning)/,
    rules: { sampling: { rejects: ["presencePenalty", "frequencyPenalty", "stop"] } },
    source: "docs.x.ai/docs/guides/reasoning: not supported by reasoning models",
  },
  {
    vendors: ["google", "vertex"],
    models: /^gemini-.*image/,
    rules: { modalities: ["text", "image"] },
    source: "ai.google.dev/gemini-api/docs/image-generation",
  },
  {
    vendors: ["google", "vertex"],
    models: /^gemini-.*tts/,
    rules: { modalities: ["audio"] },
    source: "ai.google.dev/gemini-api/docs/speech-generation",
  },
  {
    vendors: ["openrouter"],
    models: /^(?:google\/gemini-|openai\/gpt-5).*image/,
    rules: { modalities: ["text", "image"] },
    source: "openrouter.ai/docs/features/multimodal/image-generation",
  },
  {
    vendors: [...OPENAI, ...COMPATIBLE],
    rules: { tools: { names: { maxLength: 64, punctuation: "-" } } },
    source: "platform.openai.com/docs/api-reference/chat/create: tools[].function.name",
  },
  {
    vendors: OPENAI,
    rules: {
      tools: { maxCount: 128, maxCallIdLength: 40 },
      output: { needsWord: true, schemas: { rootObject: true, strictRequiresAll: true } },
    },
    source:
      "platform.openai.com/docs/guides/structured-outputs#supported-schemas; its chat completions: 'messages' must contain the word 'json' in some form; array too long, maximum 128; tool_calls[0].id: string too long, maximum 40",
  },
  {
    vendors: OPENAI,
    models: /^(?:gpt-3\.5|gpt-4-turbo|gpt-4o-2024-05-13)/,
    rules: { output: { formats: ["json_object"] } },
    source: "platform.openai.com/docs/guides/structured-outputs#json-mode",
  },
  {
    vendors: OPENAI,
    models: /^(?:gpt-4(?:-0|-32k|$)|o1-(?:mini|preview))/,
    rules: { output: { formats: [] } },
    source: "platform.openai.com/docs/guides/structured-outputs#json-mode",
  },
  {
    vendors: ["groq", "xai"],
    rules: { tools: { maxCount: 128 } },
    source: "console.groq.com/docs/api-reference; docs.x.ai/docs/guides/function-calling",
  },
  {
    vendors: ["cerebras", "fireworks", "groq", "openrouter"],
    rules: { output: { schemas: { rootObject: true } } },
    source:
      "inference-docs.cerebras.ai/capabilities/structured-outputs: the root must be an object",
  },
  {
    vendors: ["alibaba", "deepseek", "groq"],
    rules: { output: { needsWord: true } },
    source:
      "api-docs.deepseek.com/guides/json_mode: include the word json; help.aliyun.com/zh/model-studio/json-mode; console.groq.com/docs/structured-outputs",
  },
  {
    vendors: ["deepseek", "zai"],
    rules: { output: { formats: ["json_object"] } },
    source:
      "api-docs.deepseek.com/guides/json_mode: This response_format type is unavailable now; docs.z.ai/guides/capabilities/struct-output",
  },
  {
    vendors: ["groq"],
    models: /^(?!openai\/gpt-oss|moonshotai\/kimi-k2|meta-llama\/llama-4)/,
    rules: { output: { formats: ["json_object"] } },
    source: "console.groq.com/docs/structured-outputs#supported-models",
  },
  {
    vendors: ["perplexity"],
    rules: {
      output: { formats: ["json_schema"] },
      turns: { endsWithUser: true, alternates: true, instructionsFirst: true },
    },
    source:
      "docs.perplexity.ai/guides/structured-outputs; its chat completions: Last message must have role `user` or `tool`; after system messages, user and assistant messages should alternate",
  },
  {
    vendors: ["zai"],
    rules: { tools: { choosesFreely: true } },
    source: "docs.z.ai/api-reference/llm/chat-completion: tool_choice, only auto",
  },
  {
    vendors: ["mistral"],
    rules: { turns: { answersResults: true, prefillField: "prefix" } },
    source:
      "docs.mistral.ai/api: prefix; its chat completions, code 3230: Unexpected role 'user' after role 'tool'",
  },
  {
    vendors: ["moonshot", "alibaba"],
    rules: { turns: { prefillField: "partial" } },
    source:
      "platform.moonshot.ai/docs/guide/use-partial-mode; help.aliyun.com/zh/model-studio/partial-mode",
  },
  {
    vendors: ["anthropic"],
    rules: { maxUserLength: 256 },
    source: "platform.claude.com/docs/en/api/messages: metadata.user_id, at most 256",
  },
  {
    vendors: CLAUDE_VENDORS,
    models: /claude/,
    rules: {
      tools: { names: { maxLength: 128, punctuation: "-" } },
      maxCacheMarks: 4,
      maxImages: 100,
    },
    source:
      "platform.claude.com/docs/en/api/messages: tools.name; prompt-caching: at most 4 breakpoints; vision: at most 100 images",
  },
  {
    vendors: ["anthropic", "azure", "vertex"],
    models: /claude/,
    rules: {
      output: {
        answersByTool: true,
        schemas: {
          rootObject: true,
          described: NUMBER_KEYWORDS,
          rejected: ["if", "not", "patternProperties", "prefixItems"],
          closedObjects: true,
          noRecursion: true,
        },
      },
    },
    source:
      "platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations",
  },
  {
    vendors: ["anthropic", "azure", "vertex"],
    models: /claude-(?:3|(?:opus|sonnet)-4(?!-[1-9](?!\d)))/,
    rules: { output: { formats: [] } },
    source: "platform.claude.com/docs/en/build-with-claude/structured-outputs: supported models",
  },
  {
    vendors: ["bedrock"],
    rules: {
      tools: { names: { maxLength: 64, punctuation: "-" } },
      output: { schemas: { rootObject: true } },
    },
    source: "docs.aws.amazon.com/bedrock/latest/APIReference: ToolSpecification; ToolInputSchema",
  },
  {
    vendors: [...CLAUDE_VENDORS, "openrouter"],
    models: /claude-(?:fable|mythos|(?:opus|sonnet|haiku)-(?:4[-.][678]|[5-9])(?!\d))/,
    rules: { turns: { endsWithUser: true } },
    source:
      "its messages: This model does not support assistant message prefill. The conversation must end with a user message.",
  },
  {
    vendors: ["google", "vertex"],
    models: /^(?!.*claude)/,
    rules: { tools: { names: { maxLength: 64, punctuation: ".:-" } } },
    source: "ai.google.dev/api/caching#FunctionDeclaration: name, at most 64 characters",
  },
  {
    vendors: ["cohere"],
    rules: { output: { schemas: { rootObject: true } } },
    source: "docs.cohere.com/docs/structured-outputs: the top level has to be an object",
  },
  {
    vendors: ["groq"],
    rules: { maxImages: 5 },
    source: "console.groq.com/docs/vision: at most 5 images",
  },
  {
    vendors: ["mistral"],
    rules: { maxImages: 8 },
    source: "docs.mistral.ai/capabilities/vision: at most 8 images",
  },
]

/**
 * How reasoning is switched off at vendors whose models have a switch: help.aliyun.com/zh/model-studio/deep-thinking,
 * docs.z.ai/guides/capabilities/thinking-mode, platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model,
 * api-docs.deepseek.com/guides/reasoning_model, docs.siliconflow.com/capabilities/reasoning.
 */
export const SWITCHES: ReadonlyMap<string, ReasoningSwitch> = new Map([
  ["alibaba", "enable_thinking"],
  ["deepseek", "none"],
  ["moonshot", "thinking"],
  ["siliconflow", "enable_thinking"],
  ["zai", "thinking"],
])
