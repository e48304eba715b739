import type { ChatRequest } from "../../canon/chat.ts"
import type { DialectId, Loss } from "../../canon/extra.ts"
import { textAt } from "../../canon/json.ts"
import type { Message, Part, TextPart } from "../../canon/message.ts"

// This file replaces parts of a conversation that the called provider did not write and cannot read.

/** A conversation in the form in which a provider receives it, and the parts that were replaced by text. */
export interface ReplacedParts {
  readonly messages: readonly Message[]
  readonly losses: readonly Loss[]
}

/**
 * Replaces parts that exist only in another dialect with the text that represents them. A part without a text concerns
 * only the provider of its dialect, and is left out.
 */
export function replaceParts(messages: readonly Message[], dialect: DialectId): ReplacedParts {
  const names = new Set<string>()
  let hasSilent = false
  const visit = (part: Part): void => {
    if (part.type === "tool-result") part.content.forEach(visit)
    if (!isReplaced(part, dialect)) return
    if (part.text === "") hasSilent = true
    else names.add(textAt(part.standsFor?.fields ?? {}, "type") ?? "content")
  }
  for (const { parts } of messages) parts.forEach(visit)
  const losses = [...names].map((name): Loss => ({ name, effect: "approximated" }))
  if (!hasSilent) return { messages, losses }
  const spoken = messages.flatMap((message): Message[] => {
    const parts = message.parts.filter((part) => !isReplaced(part, dialect) || part.text !== "")
    return parts.length === 0 && message.parts.length > 0 ? [] : [{ ...message, parts }]
  })
  return { messages: spoken, losses }
}

function isReplaced(part: Part, dialect: DialectId): part is TextPart {
  return part.type === "text" && part.standsFor !== undefined && part.standsFor.dialect !== dialect
}

const NOTHING: readonly Loss[] = []
const LOST: readonly Loss[] = [{ name: "web_search.steps", effect: "dropped" }]

/**
 * Whether a conversation contains search results that the gateway reported for the vendor that ran the search: steps of
 * a search, or sources without the proof of the caller's dialect. They must not be sent to any vendor.
 */
export function carriesSearch({ messages }: ChatRequest): boolean {
  return messages.some(({ parts }) => parts.some((part) => isStep(part) || isForeign(part)))
}

/** Returns the messages without the steps of searches. The text of the model already contains the findings. */
export function withoutSteps(messages: readonly Message[]): {
  readonly messages: readonly Message[]
  readonly lost: readonly Loss[]
} {
  if (!messages.some(({ parts }) => parts.some(isStep))) return { messages, lost: NOTHING }
  const kept = messages.flatMap((message) => {
    const parts = message.parts.filter((part) => !isStep(part))
    if (parts.length === message.parts.length) return [message]
    return parts.length === 0 ? [] : [{ ...message, parts }]
  })
  return { messages: kept, lost: LOST }
}

function isStep({ type }: Part): boolean {
  return type === "web-search"
}

function isForeign(part: Part): boolean {
  return part.type === "text" && part.citations?.some((each) => each.isForeign) === true
}
