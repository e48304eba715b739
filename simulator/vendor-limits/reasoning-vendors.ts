import { arrayOf, type JsonObject } from "../json.ts"
import { endsWithAssistant, formatOf, hasJsonWord, messagesOf } from "./chat-parts.ts"
import { isCallRequired, isOff, JSON_WORD, NAME, type Row } from "./compatible-checks.ts"
import { type Check, maxItems, rejects, toolNames, unsupported, valueAt } from "./limit.ts"

/** Rejects values other than the fixed value of a parameter, with Moonshot's message. */
function fixed(name: string, value: (body: JsonObject) => number): Check {
  return (body) => {
    const given = valueAt(body, name)
    if (given === undefined || given === value(body)) return undefined
    return { message: `invalid ${name}: only ${value(body)} is allowed for this model` }
  }
}

/** Returns the index of an assistant turn that has calls but no reasoning of the model. */
function unthinkingCall(body: JsonObject): number {
  return messagesOf(body).findIndex(
    ({ role, tool_calls: calls, reasoning_content: thought }) =>
      role === "assistant" && arrayOf(calls).length > 0 && typeof thought !== "string",
  )
}

/** Limits of vendors whose models reason by default. */
export const REASONING_VENDORS: readonly Row[] = [
  {
    vendors: ["deepseek"],
    source: "api-docs.deepseek.com/guides/json_mode; its chat completions",
    checks: [
      rejects((body) => formatOf(body) === "json_schema", {
        message: "This response_format type is unavailable now",
        code: "invalid_request_error",
      }),
      rejects((body) => formatOf(body) === "json_object" && !hasJsonWord(body), {
        message:
          "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.",
        code: "invalid_request_error",
      }),
      toolNames(NAME, 64),
      maxItems(128, "tools"),
    ],
  },
  {
    vendors: ["deepseek"],
    models: /^deepseek-(?:v4|flash|reasoner)/,
    source: "api-docs.deepseek.com/guides/thinking_mode",
    checks: [
      rejects((body) => isCallRequired(body) && !isOff(body, "thinking", "effort"), {
        message: "Thinking mode does not support this tool_choice",
        code: "invalid_request_error",
      }),
      rejects((body) => !isOff(body, "thinking", "effort") && unthinkingCall(body) !== -1, {
        message: "The `reasoning_content` in the thinking mode must be passed back to the API.",
        code: "invalid_request_error",
      }),
    ],
  },
  {
    vendors: ["moonshot", "moonshot-cn"],
    source: "platform.moonshot.ai/docs/api/chat; its chat completions",
    checks: [
      rejects((body) => Number(body.temperature ?? 0) > 1, {
        message: "invalid temperature: must be between 0 and 1",
      }),
      toolNames(/^[a-zA-Z_][a-zA-Z0-9_-]*$/, 64),
      maxItems(128, "tools"),
      rejects((body) => endsWithAssistant(body, "partial"), {
        message: "Invalid request: the last message must be partial to go on from the assistant",
      }),
    ],
  },
  {
    vendors: ["moonshot", "moonshot-cn"],
    models: /^kimi-k(?:2\.[5-9]|[3-9])/,
    source: "platform.moonshot.ai/docs/api/models-overview: fixed sampling; thinking mode",
    checks: [
      fixed("temperature", (body) => (isOff(body, "thinking") ? 0.6 : 1)),
      fixed("top_p", () => 0.95),
      fixed("n", () => 1),
      fixed("presence_penalty", () => 0),
      fixed("frequency_penalty", () => 0),
      rejects((body) => isCallRequired(body) && !isOff(body, "thinking"), {
        message: "tool_choice 'required' is incompatible with thinking enabled",
      }),
      (body) => {
        const index = isOff(body, "thinking") ? -1 : unthinkingCall(body)
        if (index === -1) return undefined
        return {
          message: `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
        }
      },
    ],
  },
  {
    vendors: ["moonshot", "moonshot-cn"],
    models: /^kimi-k(?:2-thinking|2\.7-code|[3-9])/,
    source: "platform.moonshot.ai/docs/api/models-overview: models that always think",
    checks: [
      rejects((body) => isOff(body, "thinking", "effort"), {
        message: "invalid thinking: only type=enabled is allowed for this model",
      }),
    ],
  },
  {
    vendors: ["zai", "zhipu"],
    source: "docs.z.ai/api-reference/llm/chat-completion: tool_choice auto, text and json_object",
    checks: [
      rejects((body) => ![undefined, "auto"].includes(body.tool_choice as undefined), {
        message: "tool_choice only supports auto",
        code: "1210",
      }),
      rejects((body) => formatOf(body) === "json_schema", {
        message: "response_format only supports text and json_object",
        code: "1210",
      }),
      rejects((body) => Number(body.temperature ?? 0) > 1, {
        message: "temperature must be in [0.0, 1.0]",
        code: "1210",
      }),
      maxItems(1, "stop"),
      toolNames(NAME, 64),
      maxItems(128, "tools"),
    ],
  },
  {
    vendors: ["minimax"],
    source: "platform.minimax.io/docs/api-reference/text-chat-openai: temperature",
    checks: [
      rejects((body) => Number(body.temperature ?? 1) > 1, {
        message: "invalid params, temperature must be in (0, 1]",
      }),
    ],
  },
  {
    vendors: ["volcengine"],
    source: "www.volcengine.com/docs/82379/1494384: max_completion_tokens; models.dev#5564",
    checks: [
      rejects((body) => body.max_tokens !== undefined && body.max_completion_tokens !== undefined, {
        message: "max_tokens and max_completion_tokens cannot be set at the same time",
      }),
      rejects((body) => body.reasoning_effort !== undefined && isOff(body, "thinking"), {
        message: "Invalid combination of reasoning_effort and thinking type",
      }),
    ],
  },
  {
    vendors: ["volcengine"],
    models: /^doubao-seed-/,
    source: "www.volcengine.com/docs/82379/1494384: not supported by models that reason",
    checks: [unsupported("logprobs", "top_logprobs", "stop")],
  },
  {
    vendors: ["volcengine"],
    models: /^doubao-seed-(?:1-8|2-0)-/,
    source: "www.volcengine.com/docs/82379/1494384: models without support",
    checks: [unsupported("frequency_penalty", "presence_penalty")],
  },
  {
    vendors: ["xiaomi"],
    source: "platform.xiaomimimo.com/docs/en-US/api/chat/openai-api; its chat completions",
    checks: [
      rejects((body) => Number(body.temperature ?? 0) > 1.5, {
        message: "temperature must be in [0, 1.5]",
      }),
      rejects((body) => formatOf(body) === "json_schema", {
        message: "response_format only supports text and json_object",
      }),
      toolNames(NAME, 64),
      rejects((body) => !isOff(body, "thinking") && unthinkingCall(body) !== -1, {
        message: "Param Incorrect",
        parameter: "The reasoning_content in the thinking mode must be passed back to the API.",
      }),
    ],
  },
  {
    vendors: ["alibaba"],
    source: "help.aliyun.com/zh/model-studio/json-mode; its chat completions",
    checks: [
      JSON_WORD,
      toolNames(NAME, 64),
      rejects(
        (body, model) =>
          isCallRequired(body) &&
          !isOff(body, "enable_thinking") &&
          (body.enable_thinking === true ||
            body.reasoning_effort !== undefined ||
            /^qwen3\.[5-9]/.test(model)),
        {
          message:
            "The tool_choice parameter does not support being set to required or object in thinking mode",
          code: "invalid_parameter_error",
        },
      ),
    ],
  },
]
