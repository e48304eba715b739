import { countImages, formatOf, hasJsonWord, hasTools } from "./chat-parts.ts"
import {
  callIds,
  type Check,
  type Limit,
  listed,
  maxItems,
  maxLength,
  oneOf,
  onlyDefault,
  rejects,
  toolNames,
  unsupported,
  valueAt,
} from "./limit.ts"
import { rootObject, strictSchemas } from "./schema-limits.ts"

const VENDORS = ["openai", "azure"]
const NAME = /^[a-zA-Z0-9_-]+$/
const REASONS = /^(?:o\d|gpt-[5-9])(?!.*-chat)/
const CONDITIONAL = /^gpt-5\.[1-4](?!.*-(?:chat|codex|pro))/
const REFERENCE = "platform.openai.com/docs/api-reference/chat/create"
const GUIDE = "platform.openai.com/docs/guides/reasoning"

/** The effort levels of each family of models, according to OpenAI's model pages. */
const EFFORTS: readonly (readonly [models: RegExp, efforts: readonly string[]])[] = [
  [/^o\d/, ["low", "medium", "high"]],
  [/^gpt-5-pro/, ["high"]],
  [/^gpt-5(?!\.|-pro|.*-chat|.*codex)/, ["minimal", "low", "medium", "high"]],
  [/^gpt-5\.1(?!.*-(?:chat|codex))/, ["none", "low", "medium", "high"]],
  [/^gpt-5\.[2-9]-pro/, ["medium", "high", "xhigh"]],
  [/^gpt-5\.[2-5](?!.*-(?:chat|codex|pro))/, ["none", "low", "medium", "high", "xhigh"]],
  [/^gpt-5\.6(?!.*-chat)/, ["none", "low", "medium", "high", "xhigh", "max"]],
]

/** Returns a function that reports whether a request reasons, for models whose default effort is `none`. */
function isReasoning(path: string): (body: Parameters<Check>[0]) => boolean {
  return (body) => ![undefined, "none"].includes(valueAt(body, path) as string | undefined)
}

/** Applies checks only to requests in which the model reasons. */
function whileReasoning(path: string, checks: readonly Check[]): Check[] {
  const holds = isReasoning(path)
  return checks.map((check) => (body, model) => (holds(body) ? check(body, model) : undefined))
}

const SAMPLING = onlyDefault({
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
})
const CHAT_SAMPLING = [SAMPLING, unsupported("logprobs", "top_logprobs", "logit_bias")]
const RESPONSES_SAMPLING = [onlyDefault({ temperature: 1, top_p: 1 }), unsupported("top_logprobs")]

const JSON_WORD = rejects((body) => formatOf(body) === "json_object" && !hasJsonWord(body), {
  message:
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
  parameter: "messages",
})

function noFormat(...kinds: readonly string[]): Check {
  return (body) => {
    const kind = formatOf(body)
    if (!kinds.includes(kind)) return undefined
    const message = `Invalid parameter: 'response_format' of type '${kind}' is not supported with this model.`
    return { message, parameter: "response_format" }
  }
}

/** Returns a check of the effort that uses the error of OpenAI's Responses API. */
function responsesEffort(efforts: readonly string[]): Check {
  return (body, model) => {
    const effort = valueAt(body, "reasoning.effort")
    if (effort === undefined || efforts.includes(effort as string)) return undefined
    const message = `Unsupported value: '${effort as string}' is not supported with the '${model}' model. Supported values are: ${listed(efforts)}.`
    return { message, parameter: "reasoning.effort", code: "unsupported_value" }
  }
}

/** Models that do not support one of the response formats. */
const FORMATS: readonly Omit<Limit, "api">[] = [
  {
    vendors: VENDORS,
    models: /^(?:gpt-3\.5|gpt-4-turbo|gpt-4o-2024-05-13)/,
    source: "platform.openai.com/docs/guides/structured-outputs: gpt-4o-2024-08-06 and later",
    checks: [noFormat("json_schema")],
  },
  {
    vendors: VENDORS,
    models: /^(?:gpt-4(?:$|-0613|-32k)|o1-(?:mini|preview))/,
    source: "platform.openai.com/docs/guides/structured-outputs#json-mode",
    checks: [noFormat("json_schema", "json_object")],
  },
]

const CHAT: readonly Omit<Limit, "api">[] = [
  {
    vendors: VENDORS,
    source: `${REFERENCE}; its errors: string too long, array too long`,
    checks: [
      maxLength(64, "user", "safety_identifier", "prompt_cache_key"),
      maxItems(128, "tools"),
      toolNames(NAME, 64),
      callIds(40),
      JSON_WORD,
      rootObject,
      strictSchemas,
    ],
  },
  {
    vendors: VENDORS,
    models: REASONS,
    source: GUIDE,
    checks: [
      rejects((body) => valueAt(body, "max_tokens") !== undefined, {
        message:
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        parameter: "max_tokens",
        code: "unsupported_parameter",
      }),
    ],
  },
  {
    vendors: VENDORS,
    models: new RegExp(`(?!${CONDITIONAL.source})${REASONS.source}`),
    source: `${GUIDE}: temperature, top_p and penalties are fixed, no logprobs and logit_bias`,
    checks: CHAT_SAMPLING,
  },
  {
    vendors: VENDORS,
    models: CONDITIONAL,
    source: "platform.openai.com/docs/guides/latest-model: only with the effort none",
    checks: whileReasoning("reasoning_effort", CHAT_SAMPLING),
  },
  {
    vendors: VENDORS,
    models: /^(?:o[34]|gpt-[5-9])(?!.*-chat)/,
    source: `${REFERENCE}: stop is not supported with the latest reasoning models`,
    checks: [unsupported("stop")],
  },
  {
    vendors: VENDORS,
    models: /^(?:gpt-[34]|gpt-5.*-chat)/,
    source: "its chat completions: Unrecognized request argument supplied",
    checks: [
      rejects((body) => valueAt(body, "reasoning_effort") !== undefined, {
        message: "Unrecognized request argument supplied: reasoning_effort",
      }),
    ],
  },
  ...EFFORTS.map(([models, efforts]) => ({
    vendors: VENDORS,
    models,
    source: `${GUIDE}: reasoning.effort by model`,
    checks: [oneOf("reasoning_effort", efforts)],
  })),
  {
    vendors: VENDORS,
    models: /^gpt-(?:5\.[4-9]|[6-9])(?!.*-chat)/,
    source: "its chat completions: Function tools with reasoning_effort are not supported",
    checks: [
      rejects(
        (body, model) => {
          const effort = valueAt(body, "reasoning_effort")
          // The default effort of gpt-5.4 is `none`.
          const isOff = effort === "none" || (effort === undefined && model.startsWith("gpt-5.4"))
          return hasTools(body) && !isOff
        },
        (model) => ({
          message: `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
          parameter: "reasoning_effort",
        }),
      ),
    ],
  },
  ...FORMATS,
  {
    vendors: VENDORS,
    models: /^(?:gpt-3\.5|gpt-4(?:$|-0613|-32k)|o1-(?:mini|preview)|o3-mini)/,
    source: "platform.openai.com/docs/models: no image input",
    checks: [
      rejects((body) => countImages(body) > 0, {
        message: "Invalid content type. image_url is only supported by certain models.",
        parameter: "messages",
      }),
    ],
  },
  {
    vendors: VENDORS,
    models: /^o1-(?:mini|preview)/,
    source: "its chat completions: messages[0].role does not support system; no tools",
    checks: [unsupported("tools", "tool_choice", "parallel_tool_calls")],
  },
]

const RESPONSES: readonly Omit<Limit, "api">[] = [
  {
    vendors: VENDORS,
    source: "platform.openai.com/docs/api-reference/responses/create; its errors: string too long",
    checks: [
      maxLength(64, "user", "safety_identifier", "prompt_cache_key"),
      maxItems(128, "tools"),
      toolNames(NAME, 64),
      callIds(64),
      rejects((body) => formatOf(body) === "json_object" && !hasJsonWord(body), {
        message:
          "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
        parameter: "input",
      }),
      rootObject,
      strictSchemas,
    ],
  },
  {
    vendors: VENDORS,
    models: new RegExp(`(?!${CONDITIONAL.source})${REASONS.source}`),
    source: GUIDE,
    checks: RESPONSES_SAMPLING,
  },
  {
    vendors: VENDORS,
    models: CONDITIONAL,
    source: "platform.openai.com/docs/guides/latest-model: only with the effort none",
    checks: whileReasoning("reasoning.effort", RESPONSES_SAMPLING),
  },
  {
    vendors: VENDORS,
    models: /^(?:gpt-[34]|gpt-5.*-chat)/,
    source: "its responses: reasoning.effort is not supported with this model",
    checks: [unsupported("reasoning.effort", "reasoning.summary")],
  },
  {
    vendors: VENDORS,
    models: REASONS,
    source: "platform.openai.com/docs/guides/latest-model: text.verbosity since gpt-5",
    checks: [
      rejects(
        (body, model) => model.startsWith("o") && valueAt(body, "text.verbosity") !== undefined,
        {
          message: "Unsupported parameter: 'text.verbosity' is not supported with this model.",
          parameter: "text.verbosity",
          code: "unsupported_parameter",
        },
      ),
    ],
  },
  ...FORMATS,
  ...EFFORTS.map(([models, efforts]) => ({
    vendors: VENDORS,
    models,
    source: `${GUIDE}: reasoning.effort by model`,
    checks: [responsesEffort(efforts)],
  })),
]

/** OpenAI's limits, which also apply at Azure. */
export const OPENAI_LIMITS: readonly Limit[] = [
  ...CHAT.map((limit) => ({ ...limit, api: "chat" as const })),
  ...RESPONSES.map((limit) => ({ ...limit, api: "responses" as const })),
]
