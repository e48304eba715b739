import type { ChatRequest, ReasoningOptions } from "../../canon/chat.ts"
import type { JsonObject } from "../../canon/json.ts"
import { budgetOf, effortOf, isReasoningOff } from "../shared/reasoning.ts"
import { THINKING_LEVELS, type ThinkingControl, type ThinkingLevel } from "./quirks.ts"
import type { Encoding } from "./request/encoding.ts"

/** The level for each effort. */
const LEVELS: ReadonlyMap<string, ThinkingLevel> = new Map([
  ["minimal", "MINIMAL"],
  ["low", "LOW"],
  ["medium", "MEDIUM"],
  ["high", "HIGH"],
  ["xhigh", "HIGH"],
  ["max", "HIGH"],
])

/** The budget that lets the model decide. */
const DYNAMIC_BUDGET = -1

type Control<By> = Extract<ThinkingControl, { by: By }>

/** Encodes `thinkingConfig` in the model's form: with a budget or, since Gemini 3, with a level. */
export function encodeThinking(request: ChatRequest, encoding: Encoding): JsonObject | undefined {
  const options = request.reasoning
  if (options === undefined) return undefined
  const { thinking } = encoding.traits
  const isOff = isReasoningOff(options)
  if (thinking.by === "nothing") {
    if (!isOff) encoding.losses.add(nameOf(options))
    return undefined
  }
  const config =
    thinking.by === "budget"
      ? encodeBudget(options, request.maxTokens, thinking, encoding)
      : encodeLevel(options, request.maxTokens, thinking, encoding)
  if (!isOff && options.summary !== "none") config.includeThoughts = true
  return config
}

function encodeBudget(
  options: ReasoningOptions,
  maxTokens: number | undefined,
  { min, max, canBeOff }: Control<"budget">,
  { losses }: Encoding,
): JsonObject {
  const wanted = budgetOf(options, maxTokens)
  if (wanted === undefined) {
    if (options.effort !== undefined) losses.add("reasoning_effort", "approximated")
    return options.isAdaptive === true ? { thinkingBudget: DYNAMIC_BUDGET } : {}
  }
  if (wanted === 0 && canBeOff) return { thinkingBudget: 0 }
  const thinkingBudget = Math.min(max, Math.max(min, wanted))
  const isExact = thinkingBudget === wanted
  if (!isExact && (wanted === 0 || options.budget !== undefined)) {
    losses.add(nameOf(options), "approximated")
  }
  return { thinkingBudget }
}

function encodeLevel(
  options: ReasoningOptions,
  maxTokens: number | undefined,
  { levels }: Control<"level">,
  { losses }: Encoding,
): JsonObject {
  const effort = effortOf(options, maxTokens)
  if (effort === undefined) return {}
  const wanted = effort === "none" ? "MINIMAL" : LEVELS.get(effort)
  // Thinking cannot be disabled in a model that is controlled by levels.
  if (effort === "none" || wanted === undefined) losses.add(nameOf(options), "approximated")
  if (wanted === undefined) return {}
  const atLeast = THINKING_LEVELS.slice(THINKING_LEVELS.indexOf(wanted))
  const thinkingLevel = atLeast.find((level) => levels.includes(level)) ?? "HIGH"
  return { thinkingLevel }
}

/** Returns the option's name as the caller used it. */
function nameOf(options: ReasoningOptions): "reasoning_budget" | "reasoning_effort" {
  return options.budget === undefined ? "reasoning_effort" : "reasoning_budget"
}

/**
 * Places signatures in a response. As in Gemini's own responses, a signature without a thought is placed on the part
 * after it. It is sent alone if no part follows. Clients that drop thoughts from a conversation then keep the
 * signature.
 */
export class Signatures {
  #waiting: string | undefined

  /**
   * Holds a signature for the next part.
   * @returns a part with the previous signature, if no part has arrived for it.
   */
  hold(signature: string): JsonObject[] {
    const alone = this.end()
    this.#waiting = signature
    return alone
  }

  /** Returns the part, with the waiting signature if there is one. */
  on(part: JsonObject): JsonObject {
    if (this.#waiting === undefined) return part
    const signed = { ...part, thoughtSignature: wireSignature(this.#waiting) }
    this.#waiting = undefined
    return signed
  }

  /** Returns a part for the signature that still waits when no more parts arrive. */
  end(): JsonObject[] {
    if (this.#waiting === undefined) return []
    // A client would treat an empty text that is not a thought as an empty response.
    return [this.on({ text: "", thought: true })]
  }
}

/**
 * A `thoughtSignature` contains bytes. Google's clients decode it from base64 and encode it again. The gateway's own
 * envelope is text, so it is sent as base64 too.
 */

/** The prefix of an envelope, and its base64. */
const ENVELOPE = "tg1:"
const ENCODED_ENVELOPE = Buffer.from(ENVELOPE).toString("base64").slice(0, 5)

/** Returns a signature in a form that clients preserve. */
export function wireSignature(signature: string): string {
  return signature.startsWith(ENVELOPE) ? Buffer.from(signature).toString("base64") : signature
}

/** Returns the signature that a client sends back. */
export function carriedSignature(text: string): string {
  if (!text.startsWith(ENCODED_ENVELOPE)) return text
  // Google's Python client uses the URL-safe alphabet of base64. Both alphabets are decoded.
  const decoded = Buffer.from(text, "base64").toString()
  return decoded.startsWith(ENVELOPE) ? decoded : text
}
