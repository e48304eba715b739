import { describe, expect, test } from "bun:test"
import { REJECTIONS } from "../../src/canon/rejected-parameters.ts"
import { vendorRejection } from "../../src/canon/vendor-error.ts"

const rejected = (message: string, parameter?: string, status = 400) =>
  vendorRejection(status, { message, ...(parameter !== undefined && { parameter }) }).details
    .rejected

const LEARNED: readonly (readonly [message: string, rules: object, parameter?: string])[] = [
  [
    "Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values are: 'minimal', 'low', 'medium', and 'high'.",
    { reasoning_efforts: ["minimal", "low", "medium", "high"] },
  ],
  [
    "Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: 'none', 'low', 'medium', and 'high'.",
    { reasoning_efforts: ["none", "low", "medium", "high"] },
    "reasoning.effort",
  ],
  [
    "Unsupported value: 'low' is not supported with the 'gpt-5-chat-latest' model. Supported values are: 'medium'.",
    { rejected_parameters: ["verbosity"] },
    "text.verbosity",
  ],
  [
    "Unsupported parameter: 'temperature' is not supported with this model.",
    { rejected_parameters: ["temperature"] },
  ],
  [
    "litellm.BadRequestError: OpenAIException - Unsupported parameter: 'top_logprobs' is not supported with this model.",
    { rejected_parameters: ["logprobs"] },
  ],
  [
    'litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":"invalid_request_error","message":"`temperature` is deprecated for this model."}}',
    { rejected_parameters: ["temperature"] },
  ],
  [
    `litellm.BadRequestError: OpenAIException - {"error":{"message":"Unsupported value: 'max' is not supported with the 'gpt-5.1' model. Supported values are: 'low' and 'high'.","param":"reasoning.effort"}}`,
    { reasoning_efforts: ["low", "high"] },
  ],
  [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    { max_tokens_field: "max_completion_tokens" },
  ],
  [
    "Unrecognized request argument supplied: reasoning_effort",
    { rejected_parameters: ["reasoning_effort"] },
  ],
  [
    "Model incompatible request arguments supplied: frequency_penalty, presence_penalty, temperature, top_p",
    { rejected_parameters: ["frequency_penalty", "presence_penalty", "temperature", "top_p"] },
  ],
  ["`temperature` is deprecated for this model.", { rejected_parameters: ["temperature"] }],
  [
    "The model returned the following errors: `top_k` is deprecated for this model.",
    { rejected_parameters: ["top_k"] },
  ],
  [
    "`reasoning_effort` is not supported with this model",
    { rejected_parameters: ["reasoning_effort"] },
  ],
  ["property 'prompt_cache_key' is unsupported", { rejected_parameters: ["prompt_cache_key"] }],
  [
    "Validation: Unsupported parameter(s): `prompt_cache_key`",
    { rejected_parameters: ["prompt_cache_key"] },
  ],
  [
    "Model grok-4 does not support parameter reasoningEffort.",
    { rejected_parameters: ["reasoning_effort"] },
  ],
  [
    "Argument not supported on this model: presencePenalty",
    { rejected_parameters: ["presence_penalty"] },
  ],
  [
    'Invalid JSON payload received. Unknown name "frequency_penalty": Cannot find field.\nInvalid JSON payload received. Unknown name "top_k": Cannot find field.',
    { rejected_parameters: ["frequency_penalty"] },
  ],
  [
    "Invalid JSON payload received. Unknown name \"seed\" at 'generation_config': Cannot find field.",
    { rejected_parameters: ["seed"] },
  ],
  [
    "Penalty is not enabled for this model",
    { rejected_parameters: ["presence_penalty", "frequency_penalty"] },
  ],
  [
    "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 80 instead.",
    { max_user_length: 64 },
  ],
  ["registry.ollama.ai/library/gemma3:12b does not support tools", { tools: false }],
  [
    "No endpoints found that support tool use. To learn more about provider routing",
    { tools: false },
  ],
  ["`tool calling` is not supported with this model", { tools: false }],
  ["This model doesn't support tool use.", { tools: false }],
  [
    "Invalid request content: The model does not support tool use or function calling but tools or tool_choice have been specified on the request.",
    { tools: false },
  ],
  [
    "This model is only supported in v1/responses and not in v1/chat/completions.",
    { api: "openai-responses" },
  ],
  [
    "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?",
    { api: "openai-responses" },
  ],
  [
    "Function tools with reasoning_effort are not supported for gpt-5.6-luna in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    { tool_api: "openai-responses" },
  ],
  ["Reasoning is mandatory for this endpoint and cannot be disabled.", { reasoning: "required" }],
  ["Budget 0 is invalid. This model only works in thinking mode.", { reasoning: "required" }],
  ["invalid thinking: only type=enabled is allowed for this model", { reasoning: "required" }],
]

const IGNORED: readonly (readonly [what: string, message: string, parameter?: string])[] = [
  [
    "an output limit under another name",
    "Unsupported parameter: 'max_output_tokens' is not supported with this model.",
  ],
  ["choices", "Unsupported parameter: 'n' is not supported with this model."],
  [
    "a limit on tool calls",
    "Unsupported parameter: 'max_tool_calls' is not supported with this model.",
  ],
  ["usage in a stream", "Unrecognized request argument supplied: stream_options"],
  ["a service tier", "Unknown parameter: 'service_tier'."],
  ["storage", "Unknown parameter: 'store'."],
  [
    "unknown arguments among known ones",
    "Model incompatible request arguments supplied: temperature, n",
  ],
  [
    "unknown efforts",
    "Unsupported value: 'reasoning_effort' does not support 'x' with this model. Supported values are: 'y'.",
  ],
  [
    "efforts of another field",
    "Unsupported value: 'low' is not supported with the 'm' model. Supported values are: 'medium'.",
    "service_tier",
  ],
  [
    "a user name too short for a hash",
    "Invalid 'user': string too long. Expected a string with maximum length 8",
  ],
  [
    "a part of a tool",
    "Invalid JSON payload received. Unknown name \"temperature\" at 'tools[0].function_declarations[0]': Cannot find field.",
  ],
  ["a field of a tool", "Unknown parameter: 'tools[0].function.strict'."],
  ["tools in streams only", "This model doesn't support tool use in streaming mode."],
  [
    "quoted words",
    "The text is: Unsupported parameter: 'temperature' is not supported with this model.",
  ],
]

describe("vendors' messages that reject a parameter", () => {
  for (const [message, rules, parameter] of LEARNED) {
    test(`result in a rule with the accepted values: ${message}`, () => {
      expect(rejected(message, parameter)).toEqual(rules)
    })
  }

  for (const [what, message, parameter] of IGNORED) {
    test(`result in no correction of ${what}`, () => {
      expect(rejected(message, parameter)).toBeUndefined()
    })
  }

  test("result in corrections only with a status for invalid requests", () => {
    const message = "`temperature` is deprecated for this model."
    for (const status of [401, 429, 500])
      expect(rejected(message, undefined, status)).toBeUndefined()
  })
})

test("every pattern for rejected parameters matches its own example first, and has a source", () => {
  for (const pattern of REJECTIONS) {
    const { message, example, source, parameter } = pattern
    expect([source, message.test(example)]).toEqual([source, true])
    const field = parameter === undefined ? undefined : parameter.source.replace("$", "")
    expect([example, rejected(example, field)]).toEqual([example, expect.any(Object)])
    if (pattern.rules !== undefined) expect(rejected(example, field)).toEqual(pattern.rules)
  }
})
