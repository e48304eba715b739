import type { RejectableParameter } from "#contract/model-rules.ts"
import type { RuleRow } from "./rule-row.ts"

const OPENAI = ["openai", "azure"]
const SAMPLING: readonly RejectableParameter[] = [
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "logprobs",
]
/** Vendors that forward requests to models of other vendors, or that serve models in OpenAI's formats. */
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
const REASONING_MODELS = /^(?:o[134](?:-|$)|gpt-[5-9](?!-chat|\.\d-chat))/

/** Rules of OpenAI's models, including those that other vendors share. */
export const OPENAI_RULES: readonly RuleRow[] = [
  {
    vendors: [...OPENAI, "groq"],
    applies: "all",
    rules: { max_user_length: 64 },
    source: "platform.openai.com/docs/api-reference/chat/create: string too long, maximum 64",
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
    source: "platform.openai.com/docs/guides/latest-model: supported only with the effort 'none'",
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
]
