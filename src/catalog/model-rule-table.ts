import type { ModelRules, SamplingParameter } from "../canon/model-rules.ts"

/** Rules of the models of some vendors. Of several rows that match, a later one overrides an earlier one. */
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
    models: /^(?:o[134](?:-|$)|gpt-5(?!-chat))/,
    rules: {
      reasoning: { efforts: ["low", "medium", "high"], defaultEffort: "medium", off: "never" },
      sampling: { rejects: SAMPLING },
    },
    source: "platform.openai.com/docs/guides/reasoning",
  },
  {
    vendors: OPENAI,
    models: /^(?:o[34](?:-|$)|gpt-5(?!-chat))/,
    rules: { sampling: { rejects: [...SAMPLING, "stop"] } },
    source: "platform.openai.com/docs/api-reference/chat/create: not supported with o3 and later",
  },
  {
    vendors: OPENAI,
    models: /^gpt-5(?:-mini|-nano)?(?:-\d{4}|$)/,
    rules: { reasoning: { efforts: ["minimal", "low", "medium", "high"] } },
    source: "platform.openai.com/docs/models/gpt-5",
  },
  {
    vendors: OPENAI,
    models: /^gpt-5-pro/,
    rules: { reasoning: { efforts: ["high"], defaultEffort: "high" } },
    source: "platform.openai.com/docs/models/gpt-5-pro",
  },
  {
    vendors: OPENAI,
    models: /^gpt-5\.1(?!-c)/,
    rules: {
      reasoning: {
        efforts: ["none", "low", "medium", "high"],
        defaultEffort: "none",
        off: "none",
      },
      sampling: { rejects: SAMPLING, acceptsWithoutReasoning: true },
    },
    source: "platform.openai.com/docs/models/gpt-5.1",
  },
  {
    vendors: OPENAI,
    models: /^gpt-5\.1-codex-max/,
    rules: { reasoning: { efforts: ["low", "medium", "high", "xhigh"] } },
    source: "platform.openai.com/docs/models/gpt-5.1-codex-max",
  },
  {
    vendors: OPENAI,
    models: /^gpt-5\.[2-9]-codex/,
    rules: { reasoning: { efforts: ["low", "medium", "high", "xhigh"] } },
    source: "platform.openai.com/docs/models/gpt-5.2-codex",
  },
  {
    vendors: OPENAI,
    models: /^gpt-5\.[2-4](?!-c|-pro)/,
    rules: {
      reasoning: {
        efforts: ["none", "low", "medium", "high", "xhigh"],
        defaultEffort: "none",
        off: "none",
      },
      sampling: { rejects: SAMPLING, acceptsWithoutReasoning: true },
    },
    source: "platform.openai.com/docs/guides/latest-model: supported only with the effort none",
  },
  {
    vendors: OPENAI,
    models: /^gpt-5\.5(?!-c|-pro)/,
    rules: {
      reasoning: { efforts: ["none", "low", "medium", "high", "xhigh"], off: "none" },
    },
    source: "platform.openai.com/docs/models/gpt-5.5",
  },
  {
    vendors: OPENAI,
    models: /^gpt-5\.[6-9](?!-c|-pro)/,
    rules: {
      reasoning: { efforts: ["none", "low", "medium", "high", "xhigh", "max"], off: "none" },
    },
    source: "platform.openai.com/docs/models/gpt-5.6-terra",
  },
  {
    vendors: OPENAI,
    models: /^gpt-5\.\d-pro/,
    rules: { reasoning: { efforts: ["medium", "high", "xhigh"], defaultEffort: "high" } },
    source: "platform.openai.com/docs/models/gpt-5.4-pro",
  },
  {
    vendors: OPENAI,
    models: /^gpt-5\.[4-9](?!-chat)/,
    rules: { toolDialect: "openai-responses" },
    source:
      "its chat completions: Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions",
  },
]
