import { expect } from "bun:test"
import {
  type Judge,
  openaiError,
  rejecting,
  type Rejection,
  unsupported,
} from "./rejecting-vendor.ts"

/** A rejection, with its effect on the request and on later requests. */
export interface RejectionCase {
  readonly name: string
  /** The vendor of the provider. */
  readonly vendor?: string
  readonly judge: Judge
  /** Fields of the request in addition to the message. */
  readonly fields: object
  /** Fields that the corrected request has. */
  readonly sent: object
  readonly losses: string | null
  /** The learned rule, and its value in the log. */
  readonly learned: readonly [name: string, value: string]
}

const REJECTED = "rejected_parameters"
export const TOOLS = [
  { type: "function", function: { name: "look", parameters: { type: "object" } } },
]

const google = (message: string): Rejection => ({
  status: 400,
  error: { error: { code: 400, message, status: "INVALID_ARGUMENT" } },
})

export const REJECTION_CASES: readonly RejectionCase[] = [
  {
    name: "an unsupported parameter",
    judge: unsupported("temperature"),
    fields: { temperature: 0.2 },
    sent: { temperature: undefined },
    losses: "temperature:dropped",
    learned: [REJECTED, "temperature"],
  },
  {
    name: "an unsupported value",
    judge: rejecting(
      "temperature",
      openaiError(
        "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
        "temperature",
        "unsupported_value",
      ),
    ),
    fields: { temperature: 0.2 },
    sent: { temperature: undefined },
    losses: "temperature:dropped",
    learned: [REJECTED, "temperature"],
  },
  {
    name: "an unknown name",
    judge: rejecting(
      "presence_penalty",
      google('Invalid JSON payload received. Unknown name "presence_penalty": Cannot find field.'),
    ),
    fields: { presence_penalty: 0.5 },
    sent: { presence_penalty: undefined },
    losses: "presence_penalty:dropped",
    learned: [REJECTED, "presence_penalty"],
  },
  {
    name: "penalties",
    judge: rejecting("frequency_penalty", google("Penalty is not enabled for models/x")),
    fields: { frequency_penalty: 0.5, presence_penalty: 0 },
    sent: { frequency_penalty: undefined, presence_penalty: undefined },
    losses: "frequency_penalty:dropped",
    learned: [REJECTED, "presence_penalty,frequency_penalty"],
  },
  {
    name: "max_tokens",
    vendor: "openai",
    judge: rejecting(
      "max_tokens",
      openaiError(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "max_tokens",
        "unsupported_parameter",
      ),
    ),
    fields: { max_tokens: 7 },
    sent: { max_tokens: undefined, max_completion_tokens: 7 },
    losses: null,
    learned: ["max_tokens_field", "max_completion_tokens"],
  },
  {
    name: "max_completion_tokens",
    judge: rejecting(
      "max_completion_tokens",
      openaiError("Unrecognized request argument supplied: max_completion_tokens", null, null),
    ),
    fields: { max_completion_tokens: 7 },
    sent: { max_tokens: 7, max_completion_tokens: undefined },
    losses: null,
    learned: ["max_tokens_field", "max_tokens"],
  },
  {
    name: "an effort, with the accepted ones",
    judge: (body) =>
      body.reasoning_effort === "minimal"
        ? openaiError(
            "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'low', 'medium', and 'high'.",
            "reasoning_effort",
            "unsupported_value",
          )
        : undefined,
    fields: { reasoning_effort: "minimal" },
    sent: { reasoning_effort: "low" },
    losses: "reasoning_effort:approximated",
    learned: ["reasoning_efforts", "low,medium,high"],
  },
  {
    name: "reasoning options",
    judge: rejecting("reasoning_effort", {
      status: 400,
      error: {
        code: "invalid-argument",
        error: "Model x does not support parameter reasoningEffort.",
      },
    }),
    fields: { reasoning_effort: "high" },
    sent: { reasoning_effort: undefined },
    losses: "reasoning_effort:dropped",
    learned: [REJECTED, "reasoning_effort"],
  },
  {
    name: "a request that switches off required reasoning",
    judge: (body) =>
      body.reasoning_effort === "none"
        ? {
            status: 400,
            error: {
              error: {
                message: "Reasoning is mandatory for this endpoint and cannot be disabled.",
                code: 400,
              },
            },
          }
        : undefined,
    fields: { reasoning_effort: "none" },
    sent: { reasoning_effort: undefined },
    losses: "reasoning_effort:approximated",
    learned: ["reasoning", "required"],
  },
  {
    name: "a deprecated parameter",
    judge: rejecting(
      "top_p",
      openaiError("`top_p` is deprecated for this model.", null, "invalid_request_error"),
    ),
    fields: { top_p: 0.5 },
    sent: { top_p: undefined },
    losses: "top_p:dropped",
    learned: [REJECTED, "top_p"],
  },
  {
    name: "several arguments",
    judge: rejecting(
      "temperature",
      openaiError("Model incompatible request arguments supplied: temperature, top_p", null, null),
    ),
    fields: { temperature: 0.5, top_p: 0.5 },
    sent: { temperature: undefined, top_p: undefined },
    losses: "temperature:dropped, top_p:dropped",
    learned: [REJECTED, "temperature,top_p"],
  },
  {
    name: "a field in a list of them",
    judge: rejecting(
      "prompt_cache_key",
      openaiError("Validation: Unsupported parameter(s): `prompt_cache_key`", null, null),
    ),
    fields: { prompt_cache_key: "k" },
    sent: { prompt_cache_key: undefined },
    losses: "prompt_cache_key:dropped",
    learned: [REJECTED, "prompt_cache_key"],
  },
  {
    name: "a stop sequence",
    judge: unsupported("stop"),
    fields: { stop: ["never"] },
    sent: { stop: undefined },
    losses: null,
    learned: [REJECTED, "stop"],
  },
  {
    name: "a long user",
    judge: (body) =>
      String(body.user).length > 64
        ? openaiError(
            "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 80 instead.",
            "user",
            "string_above_max_length",
          )
        : undefined,
    fields: { user: "u".repeat(80) },
    sent: { user: expect.stringMatching(/^[0-9a-f]{64}$/) },
    losses: "user:approximated",
    learned: ["max_user_length", "64"],
  },
  {
    name: "tools",
    judge: rejecting(
      "tools",
      openaiError("registry.ollama.ai/library/x:1b does not support tools", null, null),
    ),
    fields: { tools: TOOLS },
    sent: { tools: undefined },
    losses: "tools:dropped",
    learned: ["tools", "false"],
  },
  {
    name: "tools with a 404",
    judge: rejecting("tools", {
      status: 404,
      error: { error: { message: "No endpoints found that support tool use.", code: 404 } },
    }),
    fields: { tools: TOOLS, tool_choice: "auto" },
    sent: { tools: undefined, tool_choice: undefined },
    losses: "tools:dropped",
    learned: ["tools", "false"],
  },
  {
    name: "chat completions",
    vendor: "openai",
    judge: (_, path) =>
      path.endsWith("/chat/completions")
        ? {
            status: 404,
            error: {
              error: {
                message:
                  "This model is only supported in v1/responses and not in v1/chat/completions.",
                type: "invalid_request_error",
                param: "model",
                code: null,
              },
            },
          }
        : undefined,
    fields: {},
    sent: { input: expect.anything() },
    losses: null,
    learned: ["api", "openai-responses"],
  },
  {
    name: "tools at chat completions",
    vendor: "openai",
    judge: (body, path) =>
      path.endsWith("/chat/completions") && body.tools !== undefined
        ? openaiError(
            "Function tools with reasoning_effort are not supported for x in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
            "reasoning_effort",
            null,
          )
        : undefined,
    fields: { tools: TOOLS },
    sent: { input: expect.anything(), tools: [expect.anything()] },
    losses: null,
    learned: ["tool_api", "openai-responses"],
  },
]
