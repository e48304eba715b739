import { arrayOf, objectOf, stringOf } from "../json.ts"
import { countImages, endsWithAssistant, formatOf, messagesOf, rolesOf } from "./chat-parts.ts"
import { effortAmong, JSON_WORD, NAME, noParameter, type Row } from "./compatible-checks.ts"
import { type Check, maxItems, maxLength, rejects, toolNames, unknownFields } from "./limit.ts"
import { rootObject, strictSchemas } from "./schema-limits.ts"

const GROQ_FIELDS = new Set(
  "citation_options compound_custom disable_tool_validation documents exclude_domains frequency_penalty function_call functions include_domains include_reasoning logit_bias logprobs max_completion_tokens max_tokens messages metadata model n parallel_tool_calls presence_penalty reasoning_effort reasoning_format response_format search_settings seed service_tier stop stream stream_options temperature tool_choice tools top_logprobs top_p user".split(
    " ",
  ),
)

/** Groq's limits. */
export const GROQ: readonly Row[] = [
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

/** Mistral's limits. */
export const MISTRAL: readonly Row[] = [
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
