import { arrayOf, objectOf, stringOf, type JsonObject } from "../json.ts"
import {
  countImages,
  endsWithAssistant,
  formatOf,
  hasJsonWord,
  hasTools,
  isToolForced,
  messagesOf,
  rolesOf,
} from "./chat-parts.ts"
import {
  type Check,
  type Limit,
  maxItems,
  maxLength,
  rejects,
  toolNames,
  unknownFields,
  valueAt,
} from "./limit.ts"
import { rootObject, strictSchemas } from "./schema-limits.ts"

type Row = Omit<Limit, "api">

const NAME = /^[a-zA-Z0-9_-]+$/
const JSON_WORD = rejects((body) => formatOf(body) === "json_object" && !hasJsonWord(body), {
  message:
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
})

/** Whether thinking is switched off, in one of the forms that a vendor has. */
function isOff(body: JsonObject, ...forms: readonly ("effort" | "enable_thinking" | "thinking")[]) {
  return forms.some((form) => {
    if (form === "enable_thinking") return body.enable_thinking === false
    if (form === "thinking") return objectOf(body.thinking).type === "disabled"
    return stringOf(body.reasoning_effort ?? objectOf(body.reasoning).effort) === "none"
  })
}

/** Whether a call of one of the tools is required. */
function isCallRequired(body: JsonObject): boolean {
  return hasTools(body) && isToolForced(body)
}

/** Parameters that have one value only, as Moonshot says it. */
function fixed(name: string, value: (body: JsonObject) => number): Check {
  return (body) => {
    const given = valueAt(body, name)
    if (given === undefined || given === value(body)) return undefined
    return { message: `invalid ${name}: only ${value(body)} is allowed for this model` }
  }
}

function noParameter(message: (name: string) => string, ...names: readonly string[]): Check {
  return (body) => {
    const name = names.find((each) => valueAt(body, each) !== undefined)
    return name === undefined ? undefined : { message: message(name), parameter: name }
  }
}

/** Assistant turns with calls that lack what the model thought. */
function unthinkingCall(body: JsonObject): number {
  return messagesOf(body).findIndex(
    ({ role, tool_calls: calls, reasoning_content: thought }) =>
      role === "assistant" && arrayOf(calls).length > 0 && typeof thought !== "string",
  )
}

const GROQ_FIELDS = new Set(
  "citation_options compound_custom disable_tool_validation documents exclude_domains frequency_penalty function_call functions include_domains include_reasoning logit_bias logprobs max_completion_tokens max_tokens messages metadata model n parallel_tool_calls presence_penalty reasoning_effort reasoning_format response_format search_settings seed service_tier stop stream stream_options temperature tool_choice tools top_logprobs top_p user".split(
    " ",
  ),
)

const GROQ: readonly Row[] = [
  {
    vendors: ["groq"],
    source: "console.groq.com/docs/api-reference; console.groq.com/docs/openai: unsupported fields",
    checks: [
      unknownFields(
        (name) => GROQ_FIELDS.has(name),
        (name) => ({ message: `property '${name}' is unsupported` }),
      ),
      noParameter(
        (name) => `\`${name}\` is not supported with this model`,
        "logprobs",
        "logit_bias",
      ),
      rejects((body) => Number(body.n ?? 1) !== 1, {
        message: "'n' : number must be at most 1",
      }),
      maxItems(128, "tools"),
      toolNames(NAME, 64),
      maxLength(64, "user"),
      JSON_WORD,
      rejects((body) => countImages(body) > 5, {
        message: "Too many images provided. This model supports up to 5 images.",
      }),
    ],
  },
  {
    vendors: ["groq"],
    models: /^(?!openai\/gpt-oss|moonshotai\/kimi-k2|meta-llama\/llama-4)/,
    source: "console.groq.com/docs/structured-outputs#supported-models",
    checks: [
      rejects((body) => formatOf(body) === "json_schema", {
        message: "This model does not support response format `json_schema`.",
        parameter: "response_format",
      }),
    ],
  },
  {
    vendors: ["groq"],
    source: "console.groq.com/docs/structured-outputs: strict mode, all fields must be required",
    checks: [rootObject, strictSchemas],
  },
  {
    vendors: ["groq"],
    models: /llama|allam|compound/,
    source: "console.groq.com/docs/reasoning: only by models that reason",
    checks: [
      noParameter((name) => `\`${name}\` is not supported with this model`, "reasoning_effort"),
    ],
  },
  {
    vendors: ["groq"],
    models: /gpt-oss/,
    source: "console.groq.com/docs/reasoning: low, medium, high",
    checks: [effortAmong("low", "medium", "high")],
  },
  {
    vendors: ["groq"],
    models: /qwen3\.6/,
    source: "console.groq.com/docs/reasoning: none, default",
    checks: [effortAmong("none", "default")],
  },
]

function effortAmong(...efforts: readonly string[]): Check {
  return (body) => {
    const effort = valueAt(body, "reasoning_effort")
    if (effort === undefined || efforts.includes(stringOf(effort))) return undefined
    const values = efforts.map((each) => `\`${each}\``).join(", ")
    return { message: `\`reasoning_effort\` must be one of ${values}` }
  }
}

const MISTRAL_FIELDS = new Set(
  "frequency_penalty guardrails max_tokens messages metadata model n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_mode random_seed reasoning_effort response_format safe_prompt stop stream temperature tool_choice tools top_p".split(
    " ",
  ),
)
const MISTRAL_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content"],
  user: ["role", "content"],
  assistant: ["role", "content", "tool_calls", "prefix"],
  tool: ["role", "content", "tool_call_id", "name"],
}

function forbidden(...place: readonly (string | number)[]) {
  const loc = JSON.stringify(["body", ...place])
  return {
    message: `{"detail":[{"type":"extra_forbidden","loc":${loc},"msg":"Extra inputs are not permitted"}]}`,
    status: 422,
  }
}

const mistralMembers: Check = (body) => {
  for (const [index, message] of messagesOf(body).entries()) {
    const role = stringOf(message.role)
    const known = MISTRAL_MEMBERS[role]
    if (known === undefined) {
      return { message: `Input tag '${role}' found using 'role' does not match`, status: 422 }
    }
    const member = Object.keys(message).find((name) => !known.includes(name))
    if (member !== undefined) return forbidden("messages", index, role, member)
  }
  return undefined
}

const MISTRAL: readonly Row[] = [
  {
    vendors: ["mistral"],
    source: "docs.mistral.ai/api, chat completions: additionalProperties false; its errors 3230",
    checks: [
      unknownFields((name) => MISTRAL_FIELDS.has(name), forbidden),
      mistralMembers,
      rejects((body) => Number(body.temperature ?? 0) > 1.5, {
        message: "Input should be less than or equal to 1.5",
        status: 422,
      }),
      toolNames(NAME, 64),
      rejects(
        (body) => rolesOf(body).some((role, at, all) => role === "user" && all[at - 1] === "tool"),
        { message: "Unexpected role 'user' after role 'tool'", code: "3230" },
      ),
      rejects((body) => endsWithAssistant(body, "prefix"), {
        message:
          "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
        code: "3230",
      }),
      rejects(
        (body) =>
          messagesOf(body).some(({ tool_call_id: id, tool_calls: calls }) =>
            [id, ...arrayOf(calls).map((call) => objectOf(call).id)].some(
              (each) => each !== undefined && !/^[a-zA-Z0-9]{9}$/.test(stringOf(each)),
            ),
          ),
        {
          message: "Tool call id has to be defined in serving mode, a-z, A-Z, 0-9, length of 9",
          code: "3280",
        },
      ),
      rejects((body) => countImages(body) > 8, {
        message: "Number of images exceeds the maximum of 8",
        code: "3051",
      }),
    ],
  },
  {
    vendors: ["mistral"],
    models: /^(?:mistral-(?:medium|small)|magistral)/,
    source: "docs.mistral.ai/capabilities/reasoning: none, high",
    checks: [effortAmong("none", "high")],
  },
]

const THINKING: readonly Row[] = [
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
    vendors: ["moonshot"],
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
    vendors: ["moonshot"],
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
    vendors: ["moonshot"],
    models: /^kimi-k(?:2-thinking|[3-9])/,
    source: "platform.moonshot.ai/docs/api/models-overview: models that always think",
    checks: [
      rejects((body) => isOff(body, "thinking", "effort"), {
        message: "invalid thinking: only type=enabled is allowed for this model",
      }),
    ],
  },
  {
    vendors: ["zai"],
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
      toolNames(NAME, 64),
      maxItems(128, "tools"),
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

const OTHERS: readonly Row[] = [
  {
    vendors: ["xai"],
    models: /^grok-(?:3-mini|4(?!.*non-reasoning)|[5-9]|code|build)/,
    source: "docs.x.ai/docs/guides/reasoning: presencePenalty, frequencyPenalty and stop",
    checks: [
      (body, model) =>
        noParameter(
          (name) => `Model ${model} does not support parameter ${CAMEL[name] ?? name}.`,
          "presence_penalty",
          "frequency_penalty",
          "stop",
        )(body, model),
    ],
  },
  {
    vendors: ["xai"],
    models: /^grok-(?:4$|4-|4\.20|code|build|.*non-reasoning)/,
    source: "docs.x.ai/docs/guides/reasoning: models without reasoning_effort",
    checks: [
      (body, model) =>
        noParameter(
          () => `Model ${model} does not support parameter reasoningEffort.`,
          "reasoning_effort",
          "reasoning.effort",
        )(body, model),
    ],
  },
  {
    vendors: ["xai"],
    source: "docs.x.ai/docs/guides/function-calling: at most 128 tools",
    checks: [maxItems(128, "tools"), toolNames(NAME, 64)],
  },
  {
    vendors: ["perplexity"],
    source: "docs.perplexity.ai/guides/structured-outputs; its chat completions",
    checks: [
      rejects((body) => formatOf(body) === "json_object", {
        message: "response_format.type must be text, json_schema or regex",
      }),
      rejects((body) => isOutOfTurn(rolesOf(body)), {
        message:
          "After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).",
      }),
      rejects((body) => !["user", "tool"].includes(rolesOf(body).at(-1) ?? ""), {
        message: "Last message must have role `user` or `tool`.",
      }),
    ],
  },
  {
    vendors: ["cerebras"],
    source: "inference-docs.cerebras.ai/capabilities/structured-outputs",
    checks: [
      noParameter(
        (name) => `property '${name}' is unsupported`,
        "frequency_penalty",
        "presence_penalty",
        "logit_bias",
      ),
      rootObject,
      strictSchemas,
      toolNames(NAME, 64),
    ],
  },
  {
    vendors: ["fireworks"],
    source: "docs.fireworks.ai/api-reference/post-chatcompletions: extra inputs are not permitted",
    checks: [
      noParameter(
        (name) => `Extra inputs are not permitted, field: '${name}'`,
        "prompt_cache_retention",
        "store",
      ),
      rootObject,
      toolNames(NAME, 64),
    ],
  },
  {
    vendors: ["nvidia"],
    source: "build.nvidia.com: Unsupported parameter(s)",
    checks: [
      noParameter(
        (name) => `Validation: Unsupported parameter(s): \`${name}\``,
        "prompt_cache_key",
        "prompt_cache_retention",
        "safety_identifier",
        "verbosity",
      ),
      toolNames(NAME, 64),
    ],
  },
  {
    vendors: ["openrouter"],
    source: "openrouter.ai/docs/api-reference/chat-completion",
    checks: [maxLength(128, "user"), toolNames(NAME, 64), rootObject],
  },
  {
    vendors: ["openrouter"],
    models: /^anthropic\/claude-.*(?:4\.[6-9]|-[5-9](?!\d))/,
    source: "Anthropic, through openrouter.ai: does not support assistant message prefill",
    checks: [
      rejects((body) => endsWithAssistant(body), {
        message:
          "This model does not support assistant message prefill. The conversation must end with a user message.",
      }),
    ],
  },
]

const CAMEL: Readonly<Record<string, string>> = {
  presence_penalty: "presencePenalty",
  frequency_penalty: "frequencyPenalty",
}

/** After instructions at the start, turns alternate, and none is an instruction. */
function isOutOfTurn(roles: readonly string[]): boolean {
  const start = roles.findIndex((role) => role !== "system" && role !== "developer")
  if (start === -1) return false
  return roles.slice(start).some((role, index) => {
    const isAssistant = role === "assistant"
    return role === "system" || role === "developer" || isAssistant !== (index % 2 === 1)
  })
}

/** Limits of the vendors of OpenAI's chat format. */
export const COMPATIBLE_LIMITS: readonly Limit[] = [
  ...GROQ,
  ...MISTRAL,
  ...THINKING,
  ...OTHERS,
].flatMap((row) => [
  { ...row, api: "chat" },
  { ...row, api: "responses" },
])
