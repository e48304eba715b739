import type { ModelRules } from "#contract/model-rules.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { Loss } from "../../canon/extra.ts"
import type { CallOrigin, Message, Part } from "../../canon/message.ts"
import type { Tool } from "../../canon/tool.ts"
import type { Writable } from "../../canon/writable.ts"
import { fittedCallId } from "../../dialects/shared/identifiers.ts"
import { fittedName, type NameRule } from "../../dialects/shared/tool-names.ts"
import { withAllowedTools } from "./allowed-tools.ts"
import { fitStrictTool } from "./fit-format.ts"
import { schemaBudget } from "./fit-schema.ts"
import type { Restoration } from "./restored-response.ts"

/** Number of digits of the hash in a fitted name. */
const HASH_LENGTH = 8
/**
 * Maximum characters of a fitted name if the model has no maximum. It is limited, because rewriting takes time per
 * character.
 */
const MAX_FITTED_NAME = 64

/** Fits the tools and the calls of a request. Returns the original names, which the response must use again. */
export function fitTools(
  request: Writable<ChatRequest>,
  rules: ModelRules,
  losses: Loss[],
): Restoration {
  if (request.tools !== undefined) {
    const budget = schemaBudget()
    const strict = request.tools.map((tool) => fitStrictTool(tool, rules, budget, losses))
    if (strict.some((tool, index) => tool !== request.tools?.[index])) request.tools = strict
  }
  fitCount(request, rules.max_tools, losses)
  fitStrictCount(request, rules.max_strict_tools, losses)
  if (rules.tool_choice === false) dropChoice(request, losses)
  fitCallIds(request, rules.max_call_id_length)
  const rule = nameRuleOf(rules)
  return rule === undefined ? {} : fitNames(request, rule)
}

/** Keeps the first tools, and a tool that must be called. */
function fitCount(
  request: Writable<ChatRequest>,
  maxCount: number | undefined,
  losses: Loss[],
): void {
  const { tools, toolChoice } = request
  if (maxCount === undefined || tools === undefined || tools.length <= maxCount) return
  const chosen = toolChoice?.type === "tool" ? toolChoice.name : undefined
  const place = tools.findIndex(({ name }) => name === chosen)
  const [required] = place >= maxCount ? tools.slice(place, place + 1) : []
  request.tools =
    required === undefined ? tools.slice(0, maxCount) : [...tools.slice(0, maxCount - 1), required]
  losses.push({ name: "tools", effect: "dropped" })
}

/** Keeps only the first strict tools strict. */
function fitStrictCount(
  request: Writable<ChatRequest>,
  maxCount: number | undefined,
  losses: Loss[],
): void {
  const { tools } = request
  if (maxCount === undefined || tools === undefined || tools.length <= maxCount) return
  let count = 0
  const isExcess = ({ strict }: Tool): boolean => strict === true && ++count > maxCount
  const fitted = tools.map((tool) => (isExcess(tool) ? { ...tool, strict: false } : tool))
  if (count <= maxCount) return
  request.tools = fitted
  losses.push({ name: "tools.strict", effect: "dropped" })
}

function dropChoice(request: Writable<ChatRequest>, losses: Loss[]): void {
  const { toolChoice } = request
  if (toolChoice === undefined || toolChoice.type === "auto") return
  // A model without tools cannot call any, so the tools are dropped.
  if (toolChoice.type === "none") delete request.tools
  else losses.push({ name: "tool_choice", effect: "approximated" })
  delete request.toolChoice
}

function fitCallIds(request: Writable<ChatRequest>, max: number | undefined): void {
  if (max === undefined) return
  const isLong = (part: Part): part is Extract<Part, { type: "tool-call" | "tool-result" }> =>
    (part.type === "tool-call" || part.type === "tool-result") && part.id.length > max
  request.messages = mapParts(request.messages, (part) =>
    isLong(part) ? { ...part, id: fittedCallId(part.id, max) } : part,
  )
}

function fitNames(request: Writable<ChatRequest>, rule: NameRule): Restoration {
  const restored = new Map<string, string>()
  const fit = (name: string): string => {
    const fitted = fittedName(name, rule)
    if (fitted !== name) restored.set(fitted, name)
    return fitted
  }
  const messages = mapParts(request.messages, (part) => {
    if (part.type === "tool-call") return named(part, fit)
    if (part.type !== "tool-result" || part.origin?.form !== "legacy") return part
    const name = fit(part.origin.name)
    return name === part.origin.name ? part : { ...part, origin: { ...part.origin, name } }
  })
  const tools = request.tools?.map((tool) => named(tool, fit))
  const choice = request.toolChoice?.type === "tool" ? fit(request.toolChoice.name) : undefined
  if (restored.size === 0) return {}
  // The allowed tools are resolved first, because `allowedTools` contains the caller's own names of tools.
  if (request.allowedTools !== undefined) {
    const { tools: allowed, toolChoice, extra } = withAllowedTools(request)
    delete request.allowedTools
    Object.assign(request, { toolChoice, extra })
    if (allowed !== undefined) request.tools = allowed.map((tool) => named(tool, fit))
  } else if (tools !== undefined) request.tools = tools
  if (choice !== undefined) request.toolChoice = { type: "tool", name: choice }
  request.messages = messages
  return { toolNames: restored }
}

type Named = Pick<Tool, "name"> & { readonly origin?: CallOrigin }

/** Fits the name of a tool or call. Calls to functions in the legacy form use the name of their origin. */
function named<Value extends Named>(value: Value, fit: (name: string) => string): Value {
  const name = fit(value.name)
  if (name === value.name) return value
  const { origin } = value
  return origin?.form === "legacy"
    ? { ...value, name, origin: { ...origin, name } }
    : { ...value, name }
}

/**
 * Applies a function to all parts of messages.
 * @returns the same list if nothing changed.
 */
export function mapParts(
  messages: readonly Message[],
  mapped: (part: Part) => Part,
): readonly Message[] {
  let all: Message[] | undefined
  for (const [place, message] of messages.entries()) {
    let own: Part[] | undefined
    for (const [index, part] of message.parts.entries()) {
      const other = mapped(part)
      if (other === part) continue
      own ??= [...message.parts]
      own[index] = other
    }
    if (own === undefined) continue
    all ??= [...messages]
    all[place] = { ...message, parts: own }
  }
  return all ?? messages
}

const NAME_RULES = new WeakMap<ModelRules, NameRule>()

/**
 * Returns the rule for tool names, with regular expressions that are compiled once for each deployment.
 * @returns undefined if all names are accepted.
 */
function nameRuleOf(rules: ModelRules): NameRule | undefined {
  const {
    max_tool_name_length: max,
    tool_name_characters: characters,
    tool_name_starts_with_letter: isLetterFirst = false,
  } = rules
  if (max === undefined && characters === undefined && !isLetterFirst) return undefined
  const known = NAME_RULES.get(rules)
  if (known !== undefined) return known
  const others = characters?.join("").replaceAll("-", String.raw`\-`)
  const taken = others === undefined ? String.raw`\s\S` : `A-Za-z0-9_${others}`
  // Not every vendor accepts a punctuation mark as the first character, and a vendor that accepts no marks may also
  // reject a digit there.
  const isWordFirst = isLetterFirst || others === ""
  const anywhere = others === undefined ? taken : "A-Za-z0-9_"
  const first = isWordFirst ? "A-Za-z_" : anywhere
  const rule: NameRule = {
    taken: new RegExp(`^[${first}][${taken}]{0,${max === undefined ? "" : max - 1}}$`),
    foreign: new RegExp(`[^${taken}]${isWordFirst ? "|^(?![A-Za-z_])" : ""}`, "g"),
    keptLength: (max ?? MAX_FITTED_NAME) - HASH_LENGTH - 1,
    hashLength: HASH_LENGTH,
  }
  NAME_RULES.set(rules, rule)
  return rule
}
