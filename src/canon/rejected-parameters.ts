import { type ModelRules, REASONING_EFFORTS, RULE_RANGES } from "#contract/model-rules.ts"
import { extended } from "./model-rules.ts"

/**
 * A pattern for messages of providers that reject a parameter. Its groups capture the rejected part: `names` are the
 * parameters, `efforts` the accepted efforts, `length` the maximum length of `user`.
 */
export interface RejectionPattern {
  /**
   * Matches the start of the message. A provider may quote the request later in the message, and a quote must not
   * create a rule.
   */
  readonly message: RegExp
  /** The field that the error refers to; any field if absent. */
  readonly parameter?: RegExp
  /** The resulting rules of the model; if absent, the rules are derived from the groups. */
  readonly rules?: ModelRules
  readonly example: string
  /** The provider that sends this message, and the page or report that documents it. */
  readonly source: string
}

/**
 * Known rejections of all providers. Gateways and compatible servers forward errors from other providers. The first
 * match is used.
 */
export const REJECTIONS: readonly RejectionPattern[] = [
  {
    message:
      /^unsupported value: 'reasoning[_.]effort' does not support '\w+' with this model\. supported values are: (?<efforts>[\w', ]+)/i,
    example:
      "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'low', 'medium', and 'high'.",
    source: "OpenAI and Kimi: Kilo-Org/cloud#3807 (400 `unsupported_value`)",
  },
  {
    message:
      /^unsupported value: '\w+' is not supported with the '[^']{1,200}' model\. supported values are: (?<efforts>[\w', ]+)/i,
    parameter: /effort$/,
    example:
      "Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: 'none', 'low', 'medium', and 'high'.",
    source: "OpenAI, responses: opencode#4451 (400 `unsupported_value`)",
  },
  {
    message: /^unsupported value: '[^']{1,200}' is not supported with the '[^']{1,200}' model/i,
    parameter: /verbosity$/,
    rules: { rejected_parameters: ["verbosity"] },
    example:
      "Unsupported value: 'low' is not supported with the 'gpt-5-chat-latest' model. Supported values are: 'medium'.",
    source: "OpenAI, responses: 400 `unsupported_value`, parameter `text.verbosity`",
  },
  {
    message:
      /^unsupported (?:parameter|value): '(?<names>[\w.]+)' (?:is not supported with|does not support)/i,
    example:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    source: "OpenAI: Cursor-Azure-GPT-5#33, lumen#1087 (400, `unsupported_parameter`)",
  },
  {
    message:
      /^(?:unrecognized request arguments? supplied|unknown parameter|model incompatible request arguments? supplied): '?(?<names>[\w., ]+)(?![\w[])/i,
    example: "Unrecognized request argument supplied: reasoning_effort",
    source: "OpenAI: grok-cli#48, lobehub#7054 (400)",
  },
  {
    message:
      /^(?:the model returned the following errors: )?[`']?(?<names>[\w.]+)[`']? is (?:deprecated for this model|not supported(?: (?:with|by) this model|\.?$))/i,
    example: "`temperature` is deprecated for this model.",
    source: "Anthropic: BoltAI#410; Bedrock: pollinations#11319; Groq, reasoning (400)",
  },
  {
    message: /^property '(?<names>\w+)' is unsupported/i,
    example: "property 'prompt_cache_key' is unsupported",
    source: "Groq: 400 for fields that it does not have",
  },
  {
    message: /^(?:validation: )?unsupported parameter\(s\): `?(?<names>[\w, ]+)/i,
    example: "Validation: Unsupported parameter(s): `prompt_cache_key`",
    source: "NVIDIA: OmniRoute#848 (400)",
  },
  {
    message:
      /^(?:model \S{1,200} does not support parameter|argument not supported on this model:) (?<names>\w+)/i,
    example: "Model grok-4 does not support parameter reasoningEffort.",
    source: "xAI: grok2api#814, n8n#16338 (400)",
  },
  {
    message:
      /^invalid json payload received\. unknown name "(?<names>\w+)"(?: at '(?:generation_config|\k<names>)')?: cannot find field/i,
    example: 'Invalid JSON payload received. Unknown name "frequency_penalty": Cannot find field.',
    source: "Gemini and its OpenAI format: page-assist#418, SkyrimNet-GamePlugin#77 (400)",
  },
  {
    message: /^penalty is not enabled for (?:this model|models\/\S)/i,
    rules: { rejected_parameters: ["presence_penalty", "frequency_penalty"] },
    example: "Penalty is not enabled for models/gemini-2.5-flash",
    source: "Gemini: openai-gemini#63, MisakaNet#1473 (400)",
  },
  {
    message:
      /^(?:unable to submit request because )?logprobs is not (?:enabled|supported) for (?:this model|the current model|models\/\S)/i,
    rules: { rejected_parameters: ["logprobs"] },
    example: "Logprobs is not enabled for models/gemini-2.5-pro",
    source: "Gemini: python-genai#1921; Vertex AI: GoogleCloudPlatform/generative-ai#2947 (400)",
  },
  {
    message:
      /^invalid (?<names>temperature|top_p|presence_penalty|frequency_penalty): only [\d.]+ is allowed for this model/i,
    example: "invalid temperature: only 1 is allowed for this model",
    source: "Moonshot: litellm#29687, kimi-code#686 (400)",
  },
  {
    message:
      /^invalid '(?:user|safety_identifier|prompt_cache_key)': string too long\. expected a string with maximum length (?<length>\d+)/i,
    example:
      "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 80 instead.",
    source: "OpenAI, chat completions: 400 `string_above_max_length`",
  },
  {
    message:
      /^(?:invalid request content: )?(?:\S{1,200} does not support tools$|`tool calling` is not supported with this model|no endpoints found that support tool use|(?:this|the) model (?:does not|doesn't) support (?:tool use|tools|function calling)(?! in streaming))/i,
    rules: { tools: false },
    example: "registry.ollama.ai/library/gemma3:12b does not support tools",
    source:
      "Ollama: ollama#14795 (400); Groq, tool use (400); OpenRouter: fast-agent#122 (404); Bedrock: langchain-aws#447; xAI: adk-python#952",
  },
  {
    message:
      /^(?:this model is only supported in v1\/responses and not in v1\/chat\/completions|this is not a chat model and thus not supported in the v1\/chat\/completions endpoint|unsupported legacy protocol: \/v1\/chat\/completions is not supported)/i,
    rules: { api: "openai-responses" },
    example: "This model is only supported in v1/responses and not in v1/chat/completions.",
    source: "OpenAI: goose#2564, chatwise-releases#1256 (404); sub2api#885 (400)",
  },
  {
    message: /^function tools with reasoning_effort are not supported for \S{1,200} in \/v1\/chat/i,
    rules: { tool_api: "openai-responses" },
    example:
      "Function tools with reasoning_effort are not supported for gpt-5.6-luna in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    source: "OpenAI: openai-openapi#541, LibreChat#14231 (400)",
  },
  {
    message:
      /^(?:reasoning is mandatory for this endpoint and cannot be disabled|budget 0 is invalid\. this model only works in thinking mode|unable to submit request because (?:thinking can't be disabled for this model|the model does not support setting thinking_budget to 0)|invalid thinking: only type=enabled is allowed)/i,
    rules: { reasoning: "required" },
    example: "Reasoning is mandatory for this endpoint and cannot be disabled.",
    source:
      "OpenRouter: pi#8454; Gemini: gemini-balance#206; Vertex AI: pydantic-ai#1967; Moonshot: Kimi-K2#141 (400)",
  },
]

/**
 * The rules that follow when a provider rejects a parameter of a given name. The table omits limits, `n`, prices and
 * storage, because a rejection must not make the gateway drop those parameters. A limit is sent under its other name
 * instead.
 */
const RULES_OF_NAMES: ReadonlyMap<string, ModelRules> = new Map<string, ModelRules>([
  ["max_tokens", { max_tokens_field: "max_completion_tokens" }],
  ["max_completion_tokens", { max_tokens_field: "max_tokens" }],
  ["tools", { tools: false }],
  ["functions", { tools: false }],
  ["temperature", { rejected_parameters: ["temperature"] }],
  ["topp", { rejected_parameters: ["top_p"] }],
  ["topk", { rejected_parameters: ["top_k"] }],
  ["presencepenalty", { rejected_parameters: ["presence_penalty"] }],
  ["frequencypenalty", { rejected_parameters: ["frequency_penalty"] }],
  ["logprobs", { rejected_parameters: ["logprobs"] }],
  ["toplogprobs", { rejected_parameters: ["logprobs"] }],
  ["responselogprobs", { rejected_parameters: ["logprobs"] }],
  ["stop", { rejected_parameters: ["stop"] }],
  ["stopsequences", { rejected_parameters: ["stop"] }],
  ["seed", { rejected_parameters: ["seed"] }],
  ["randomseed", { rejected_parameters: ["seed"] }],
  ["reasoningeffort", { rejected_parameters: ["reasoning_effort"] }],
  ["reasoning", { rejected_parameters: ["reasoning_effort"] }],
  ["thinking", { rejected_parameters: ["reasoning_effort"] }],
  ["thinkingconfig", { rejected_parameters: ["reasoning_effort"] }],
  ["enablethinking", { rejected_parameters: ["reasoning_effort"] }],
  ["paralleltoolcalls", { rejected_parameters: ["parallel_tool_calls"] }],
  ["verbosity", { rejected_parameters: ["verbosity"] }],
  ["textverbosity", { rejected_parameters: ["verbosity"] }],
  ["user", { rejected_parameters: ["user"] }],
  ["safetyidentifier", { rejected_parameters: ["safety_identifier"] }],
  ["metadata", { rejected_parameters: ["metadata"] }],
  ["promptcachekey", { rejected_parameters: ["prompt_cache_key"] }],
])

/** Maximum characters of a message that are read. */
const MAX_MESSAGE_CHARACTERS = 1_000

const EFFORTS: readonly string[] = REASONING_EFFORTS

/**
 * Derives rules of a model from its error.
 * @param message the message without the prefix of another gateway.
 * @returns undefined unless the error rejects a parameter that the gateway can omit.
 */
export function rejectionIn(
  message: string | undefined,
  { parameter }: { readonly parameter?: string },
): ModelRules | undefined {
  if (message === undefined) return undefined
  const start = message.slice(0, MAX_MESSAGE_CHARACTERS)
  for (const { message: pattern, parameter: field, rules } of REJECTIONS) {
    if (field !== undefined && (parameter === undefined || !field.test(parameter))) continue
    const match = pattern.exec(start)
    if (match !== null) return rules ?? rulesOfGroups(match.groups ?? {})
  }
  return undefined
}

function rulesOfGroups({
  names,
  efforts,
  length,
}: Readonly<Record<string, string | undefined>>): ModelRules | undefined {
  if (efforts !== undefined) return rulesOfEfforts(efforts)
  if (length !== undefined) {
    const max = Number(length)
    const [lowest, highest] = RULE_RANGES.max_user_length
    return max >= lowest && max <= highest ? { max_user_length: max } : undefined
  }
  return names === undefined ? undefined : rulesOfNames(names)
}

/** Returns the known efforts only, from lowest to highest. */
function rulesOfEfforts(text: string): ModelRules | undefined {
  const named = [...text.matchAll(/'(\w+)'/g)].map(([, effort = ""]) => effort)
  const accepted = EFFORTS.filter((effort) => named.includes(effort))
  return accepted.length === 0 ? undefined : { reasoning_efforts: accepted }
}

/**
 * Returns the combined rules for names in any order; undefined if a name is unknown, because the request would then
 * fail again.
 */
function rulesOfNames(text: string): ModelRules | undefined {
  let rules: ModelRules | undefined
  const names = text.split(",").map((name) => name.trim())
  for (const name of names.toSorted()) {
    const own = rulesOfName(name)
    if (own === undefined) return undefined
    rules = extended(rules, own)
  }
  return rules
}

/** Returns the rules for a parameter name in any spelling: `topP`, `top_p`, `reasoning.effort`. */
function rulesOfName(name: string): ModelRules | undefined {
  const plain = name.toLowerCase()
  return RULES_OF_NAMES.get(plain) ?? RULES_OF_NAMES.get(plain.replace(/[_.]/g, ""))
}
