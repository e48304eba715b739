import { GROQ, MISTRAL } from "./groq-and-mistral.ts"
import { REASONING_VENDORS } from "./reasoning-vendors.ts"
import { endsWithAssistant, formatOf, rolesOf } from "./chat-parts.ts"
import { NAME, noParameter, type Row } from "./compatible-checks.ts"
import { type Limit, maxItems, maxLength, rejects, toolNames, unsupported } from "./limit.ts"
import { rootObject, strictSchemas } from "./schema-limits.ts"

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
    vendors: ["scaleway"],
    source:
      "www.scaleway.com/en/docs/generative-apis/api-cli/using-chat-api: unsupported parameters",
    checks: [
      unsupported("frequency_penalty", "logit_bias", "top_logprobs", "user"),
      rejects((body) => Number(body.n ?? 1) > 1, { message: "n is not supported" }),
    ],
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

/** Whether instructions follow other messages, or the turns after the instructions do not alternate. */
function isOutOfTurn(roles: readonly string[]): boolean {
  const start = roles.findIndex((role) => role !== "system" && role !== "developer")
  if (start === -1) return false
  return roles.slice(start).some((role, index) => {
    const isAssistant = role === "assistant"
    return role === "system" || role === "developer" || isAssistant !== (index % 2 === 1)
  })
}

/** Limits of vendors with OpenAI's chat format. */
export const COMPATIBLE_LIMITS: readonly Limit[] = [
  ...GROQ,
  ...MISTRAL,
  ...REASONING_VENDORS,
  ...OTHERS,
].flatMap((row) => [
  { ...row, api: "chat" },
  { ...row, api: "responses" },
])
