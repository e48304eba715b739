import { checkThinking } from "../claude-thinking.ts"
import {
  arrayOf,
  entryOf,
  isObject,
  objectOf,
  stringOf,
  type Json,
  type JsonObject,
} from "../json.ts"
import { VERSION_WITHOUT_SAMPLING } from "./errors.ts"
import { checkMessages } from "./message-checks.ts"
import { checkToolChoice, checkTools } from "./tool-checks.ts"

type Kind = "string" | "boolean" | "integer" | "number" | "dictionary" | "list" | "any"

interface Rule {
  readonly kind: Kind
  readonly min?: number
  /** The minimum and maximum of a number. The error names both. */
  readonly range?: readonly [number, number]
  readonly nullable?: boolean
  readonly required?: boolean
}

// Valid fields of a request that counts tokens, according to the SDK's `MessageCountTokensParams`.
const COUNTED: Record<string, Rule> = {
  model: { kind: "string", required: true },
  messages: { kind: "list", required: true },
  cache_control: { kind: "dictionary", nullable: true },
  context_management: { kind: "dictionary", nullable: true },
  mcp_servers: { kind: "list" },
  output_config: { kind: "dictionary" },
  speed: { kind: "string", nullable: true },
  system: { kind: "any" },
  thinking: { kind: "dictionary" },
  tool_choice: { kind: "dictionary" },
  tools: { kind: "list" },
  user_profile_id: { kind: "string" },
  workspace_id: { kind: "string" },
}

// Further valid fields of a request for a response. Other fields are rejected.
const CREATED: Record<string, Rule> = {
  ...COUNTED,
  max_tokens: { kind: "integer", min: 0, required: true },
  container: { kind: "any", nullable: true },
  diagnostics: { kind: "dictionary", nullable: true },
  inference_geo: { kind: "string", nullable: true },
  metadata: { kind: "dictionary" },
  service_tier: { kind: "string" },
  stop_sequences: { kind: "list" },
  stream: { kind: "boolean" },
  thread: { kind: "dictionary", nullable: true },
}

// Further fields that are valid before API version 2026-10-21 (docs/contribute/wire/anthropic-messages.md#f18).
const CREATED_BEFORE: Record<string, Rule> = {
  ...CREATED,
  temperature: { kind: "number", range: [0, 1] },
  top_k: { kind: "integer", min: 0 },
  top_p: { kind: "number", range: [0, 1] },
}

const EFFORTS = ["low", "medium", "high", "xhigh", "max"]
const TIERS = ["auto", "standard_only"]

/** Returns Anthropic's error for a request for a response; undefined if the request is valid. */
export function checkRequest(body: JsonObject, version: string): string | undefined {
  return (
    checkFields(body, version === VERSION_WITHOUT_SAMPLING ? CREATED : CREATED_BEFORE) ??
    checkValues(body) ??
    checkContent(body) ??
    checkThinking(objectOf(body.thinking), {
      limit: numberOf(body.max_tokens),
      temperature: numberOf(body.temperature),
      topP: numberOf(body.top_p),
      topK: numberOf(body.top_k),
      isToolForced: isToolForced(body),
    })
  )
}

/** Returns Anthropic's error for a request that counts tokens; undefined if the request is valid. */
export function checkCount(body: JsonObject): string | undefined {
  return checkFields(body, COUNTED) ?? checkContent(body)
}

function checkContent(body: JsonObject): string | undefined {
  return (
    checkSystem(body.system) ??
    checkTools(body.tools) ??
    checkToolChoice(body) ??
    checkMessages(body) ??
    checkMarkers(body)
  )
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined
}

function isToolForced(body: JsonObject): boolean {
  return ["any", "tool"].includes(stringOf(objectOf(body.tool_choice).type))
}

function checkFields(body: JsonObject, rules: Record<string, Rule>): string | undefined {
  for (const [name, rule] of Object.entries(rules)) {
    if (rule.required === true && body[name] === undefined) return `${name}: Field required`
  }
  for (const name in body) {
    const rule = entryOf(rules, name)
    if (rule === undefined) return `${name}: Extra inputs are not permitted`
    const error = checkField(name, body[name], rule)
    if (error !== undefined) return error
  }
  return undefined
}

function checkField(name: string, value: Json | undefined, rule: Rule): string | undefined {
  if (value === undefined || (value === null && rule.nullable === true)) return undefined
  if (!isOfKind(value, rule.kind)) return `${name}: Input should be a valid ${rule.kind}`
  if (typeof value !== "number") return undefined
  if (rule.min !== undefined && value < rule.min) {
    return `${name}: Input should be greater than or equal to ${rule.min}`
  }
  const [from, to] = rule.range ?? [value, value]
  return value < from || value > to ? `${name}: range: ${from}..${to}` : undefined
}

function isOfKind(value: Json, kind: Kind): boolean {
  switch (kind) {
    case "any":
      return true
    case "dictionary":
      return isObject(value)
    case "list":
      return Array.isArray(value)
    case "integer":
      return Number.isInteger(value)
    default:
      return typeof value === kind
  }
}

function checkValues(body: JsonObject): string | undefined {
  const { stop_sequences: stop, service_tier: tier, thinking } = body
  if (arrayOf(stop).some((sequence) => stringOf(sequence).trim() === "")) {
    return "stop_sequences: each stop sequence must contain non-whitespace"
  }
  if (tier !== undefined && !TIERS.includes(stringOf(tier))) {
    return "service_tier: Input should be 'auto' or 'standard_only'"
  }
  const kinds = ["enabled", "disabled", "adaptive", "between_tools"]
  if (thinking !== undefined && !kinds.includes(stringOf(objectOf(thinking).type))) {
    return `thinking: Input tag '${stringOf(objectOf(thinking).type)}' found using 'type' does not match any of the expected tags: 'adaptive', 'between_tools', 'disabled', 'enabled'`
  }
  return checkOutput(objectOf(body.output_config))
}

function checkOutput(config: JsonObject): string | undefined {
  for (const name in config) {
    if (!["effort", "format", "task_budget"].includes(name)) {
      return `output_config.${name}: Extra inputs are not permitted`
    }
  }
  const { effort, format } = config
  if (typeof effort === "string" && !EFFORTS.includes(effort)) {
    return "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'"
  }
  if (format === undefined || format === null) return undefined
  for (const name in objectOf(format)) {
    if (name !== "type" && name !== "schema") {
      return `output_config.format.${name}: Extra inputs are not permitted`
    }
  }
  if (objectOf(format).type !== "json_schema") {
    return "output_config.format.type: Input should be 'json_schema'"
  }
  return isObject(objectOf(format).schema)
    ? undefined
    : "output_config.format.schema: Field required"
}

function checkSystem(system: Json | undefined): string | undefined {
  if (system === undefined || typeof system === "string") return undefined
  if (!Array.isArray(system)) return "system: Input should be a valid list"
  for (const [index, block] of system.entries()) {
    const { type, text } = objectOf(block)
    if (type !== "text") return `system.${index}.type: Input should be 'text'`
    if (typeof text !== "string") return `system.${index}.text: Field required`
    if (text === "") return "system: text content blocks must be non-empty"
  }
  return undefined
}

const MAX_MARKERS = 4

function checkMarkers(body: JsonObject): string | undefined {
  const content = arrayOf(body.messages).flatMap((message) => arrayOf(objectOf(message).content))
  const blocks = [...arrayOf(body.tools), ...arrayOf(body.system), ...content]
  const markers = blocks.map((block) => objectOf(block).cache_control).filter(isObject)
  if (isObject(body.cache_control)) markers.push(body.cache_control)
  const wrong = markers.find(
    ({ type, ttl }) => type !== "ephemeral" || ![undefined, "5m", "1h"].includes(ttl as string),
  )
  if (wrong !== undefined) return "cache_control.ephemeral.ttl: Input should be '5m' or '1h'"
  if (markers.length <= MAX_MARKERS) return undefined
  return `A maximum of ${MAX_MARKERS} blocks with cache_control may be provided. Found ${markers.length}.`
}
