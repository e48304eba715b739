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
