import { arrayOf, isObject, objectOf, stringOf, type Json, type JsonObject } from "../json.ts"
import type { Check, Limit, Problem } from "./limit.ts"
import { someSchema } from "./schema-limits.ts"

/** The parts of a request to Claude that are checked, at Anthropic or at Bedrock. */
interface ClaudeRequest {
  readonly sampling: Readonly<Record<string, Json | undefined>>
  readonly thinking: JsonObject
  readonly output: JsonObject
  readonly lastRole: string
  readonly strictTools: readonly JsonObject[]
}

const ADAPTIVE_ONLY = /claude-(?:fable|mythos|(?:opus|sonnet|haiku)-(?:4-[789]|[5-9](?!\d)))/
const NO_PREFILL = /claude-(?:fable|mythos|(?:opus|sonnet|haiku)-(?:4-[6-9]|[5-9](?!\d)))/
const ONE_SAMPLING = /claude-(?:opus-4-[1-6]|(?:sonnet|haiku)-4-[5-6])/
const NO_FORMAT = /claude-(?:3|(?:opus|sonnet)-4-(?:0|20))/

/** The levels of effort by model (platform.claude.com/docs/en/build-with-claude/effort). */
const EFFORTS: readonly (readonly [models: RegExp, efforts: readonly string[]])[] = [
  [/claude-opus-4-5/, ["high", "low", "medium"]],
  [/claude-(?:opus|sonnet)-4-6/, ["high", "low", "max", "medium"]],
  [/claude-opus-4-[78]/, ["high", "low", "max", "medium", "xhigh"]],
]
const NO_EFFORT = /claude-(?:3|(?:opus|sonnet)-4-(?:0|1|20)|(?:sonnet|haiku)-4-5)/

type ClaudeCheck = (request: ClaudeRequest, model: string) => Problem | undefined

function deprecatedSampling({ sampling }: ClaudeRequest): Problem | undefined {
  const name = ["temperature", "top_p", "top_k"].find(
    (each) => sampling[each] !== undefined && sampling[each] !== 1,
  )
  return name === undefined ? undefined : { message: `\`${name}\` is deprecated for this model.` }
}

function bothSampling({ sampling }: ClaudeRequest): Problem | undefined {
  if (sampling.temperature === undefined || sampling.top_p === undefined) return undefined
  return {
    message:
      "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
  }
}

function budgetedThinking({ thinking }: ClaudeRequest): Problem | undefined {
  if (thinking.type !== "enabled") return undefined
  return {
    message:
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  }
}

function adaptiveThinking({ thinking }: ClaudeRequest): Problem | undefined {
  return thinking.type === "adaptive"
    ? { message: "adaptive thinking is not supported on this model" }
    : undefined
}

function effort({ output }: ClaudeRequest, model: string): Problem | undefined {
  const level = stringOf(output.effort)
  if (level === "") return undefined
  if (NO_EFFORT.test(model)) return { message: "This model does not support the effort parameter." }
  const [, levels] = EFFORTS.find(([models]) => models.test(model)) ?? []
  if (levels === undefined || levels.includes(level)) return undefined
  return {
    message: `This model does not support effort level '${level}'. Supported levels: ${levels.join(", ")}.`,
  }
}

function prefill({ lastRole }: ClaudeRequest): Problem | undefined {
  if (lastRole !== "assistant") return undefined
  return {
    message:
      "This model does not support assistant message prefill. The conversation must end with a user message.",
  }
}

function noFormat({ output }: ClaudeRequest): Problem | undefined {
  return isObject(output.format)
    ? { message: "output_config.format: This model does not support structured outputs." }
    : undefined
}

/** Keywords of numbers, texts and arrays that the schema compiler does not support. */
const KEYWORDS: readonly (readonly [type: string, names: readonly string[]])[] = [
  ["integer", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
  ["string", ["minLength", "maxLength"]],
  ["array", ["maxItems", "uniqueItems", "prefixItems", "contains"]],
  ["object", ["patternProperties", "minProperties", "maxProperties", "propertyNames"]],
]

function schemaProblem(schema: JsonObject): string | undefined {
  const { type, properties, additionalProperties: others, minItems } = schema
  if (["if", "not", "oneOf"].some((name) => schema[name] !== undefined)) {
    return "Schema type 'oneOf', 'not' or 'if' is not supported"
  }
  for (const [kind, names] of KEYWORDS) {
    const name = type === kind ? names.find((each) => schema[each] !== undefined) : undefined
    if (name !== undefined) return `For '${kind}' type, property '${name}' is not supported`
  }
  if (Number(minItems ?? 0) > 1) {
    return "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
  }
  const isOpen = (type === "object" || properties !== undefined) && others !== false
  return isOpen
    ? "For 'object' type, 'additionalProperties' must be explicitly set to false"
    : undefined
}

/** Whether a definition refers directly to itself. */
function isRecursive(schema: JsonObject): boolean {
  const definitions = Object.entries(objectOf(schema.$defs ?? schema.definitions))
  const text = (value: Json | undefined): string => JSON.stringify(value ?? null)
  return (
    text(schema).includes('"$ref":"#"') ||
    definitions.some(([name, inner]) => text(inner).includes(`/${name}"`))
  )
}

function schemas({ output, strictTools }: ClaudeRequest): Problem | undefined {
  const declared = objectOf(objectOf(output.format).schema)
  const named: [string, JsonObject][] = strictTools.map((tool, index) => [
    `tools.${index}.custom`,
    objectOf(tool.input_schema),
  ])
  if (isObject(output.format)) named.unshift(["output_config.format.schema", declared])
  for (const [place, schema] of named) {
    if (isRecursive(schema)) {
      return { message: `${place}: Circular reference detected in schema definitions` }
    }
    const found = someSchema(schema, schemaProblem)
    if (found !== undefined) return { message: `${place}: ${found}` }
  }
  const { length } = strictTools
  if (length <= 20) return undefined
  return {
    message: `Too many strict tools (${length}). The maximum number of strict tools supported is 20. Try reducing the number of tools marked as strict.`,
  }
}

const CHECKS: readonly (readonly [models: RegExp, source: string, check: ClaudeCheck])[] = [
  [ADAPTIVE_ONLY, "about-claude/models/migration-guide: sampling parameters", deprecatedSampling],
  [ADAPTIVE_ONLY, "build-with-claude/adaptive-thinking", budgetedThinking],
  [ONE_SAMPLING, "about-claude/models/migration-guide: one of temperature and top_p", bothSampling],
  [
    /claude-(?:3|(?:opus|sonnet|haiku)-4-(?:[0-5]|20))/,
    "build-with-claude/adaptive-thinking",
    adaptiveThinking,
  ],
  [/claude/, "build-with-claude/effort", effort],
  [NO_PREFILL, "build-with-claude/prefill: not since Claude 4.6", prefill],
  [NO_FORMAT, "build-with-claude/structured-outputs: supported models", noFormat],
  [/claude/, "build-with-claude/structured-outputs#json-schema-limitations", schemas],
]

function readMessages(body: JsonObject): ClaudeRequest {
  const { temperature, top_p, top_k } = body
  return {
    sampling: { temperature, top_p, top_k },
    thinking: objectOf(body.thinking),
    output: objectOf(body.output_config),
    lastRole: stringOf(objectOf(arrayOf(body.messages).at(-1)).role),
    strictTools: arrayOf(body.tools)
      .map((tool) => objectOf(tool))
      .filter(({ strict }) => strict === true),
  }
}

function readConverse(body: JsonObject): ClaudeRequest {
  const { temperature, topP } = objectOf(body.inferenceConfig)
  const fields = objectOf(body.additionalModelRequestFields)
  return {
    sampling: { temperature, top_p: topP, top_k: fields.top_k },
    thinking: objectOf(fields.thinking),
    output: objectOf(fields.output_config),
    lastRole: stringOf(objectOf(arrayOf(body.messages).at(-1)).role),
    strictTools: [],
  }
}

function atAnthropic(check: ClaudeCheck): Check {
  return (body, model) => check(readMessages(body), model)
}

function atBedrock(check: ClaudeCheck): Check {
  return (body, model) => {
    const problem = check(readConverse(body), model)
    return problem && { message: `The model returned the following errors: ${problem.message}` }
  }
}

function countBlocks(body: JsonObject, holds: (block: JsonObject) => boolean): number {
  const blocks = (list: Json | undefined): JsonObject[] =>
    arrayOf(list).flatMap((entry) => {
      const block = objectOf(entry)
      const inner = objectOf(block.toolResult).content ?? block.content
      return [block, ...blocks(inner)]
    })
  return blocks(body.messages).filter(holds).length
}

function maxImages(max: number, holds: (block: JsonObject) => boolean): Check {
  return (body) =>
    countBlocks(body, holds) > max
      ? { message: `messages: Too many images. Maximum allowed: ${max}` }
      : undefined
}

/** The limits of Claude at Anthropic and Bedrock, and limits of Bedrock itself. */
export const CLAUDE_LIMITS: readonly Limit[] = [
  ...CHECKS.flatMap(([models, page, check]): Limit[] => {
    const source = `platform.claude.com/docs/en/${page}`
    return [
      { vendors: ["anthropic"], models, api: "messages", source, checks: [atAnthropic(check)] },
      { vendors: ["bedrock"], models, api: "converse", source, checks: [atBedrock(check)] },
    ]
  }),
  {
    vendors: ["anthropic"],
    api: "messages",
    source: "platform.claude.com/docs/en/api/messages: metadata.user_id; vision: 100 images",
    checks: [
      (body) =>
        stringOf(objectOf(body.metadata).user_id).length > 256
          ? { message: "metadata.user_id: String should have at most 256 characters" }
          : undefined,
      maxImages(100, ({ type }) => type === "image"),
    ],
  },
  {
    vendors: ["bedrock"],
    api: "converse",
    source: "docs.aws.amazon.com/bedrock/latest/APIReference: Message, up to 20 images",
    checks: [maxImages(20, ({ image }) => image !== undefined)],
  },
  {
    vendors: ["bedrock"],
    models: /claude/,
    api: "converse",
    source: "docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching: at most 4 checkpoints",
    checks: [
      (body) => {
        const marks = JSON.stringify(body).match(/"cachePoint":/g)?.length ?? 0
        return marks > 4
          ? { message: `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.` }
          : undefined
      },
    ],
  },
]
