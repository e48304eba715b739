import type { ChatRequest } from "../../canon/chat.ts"
import type { Loss } from "../../canon/extra.ts"
import type { Message, Part } from "../../canon/message.ts"

const NOTHING: readonly Loss[] = []
const LOST: readonly Loss[] = [{ name: "web_search.steps", effect: "dropped" }]

/**
 * Whether a conversation brings back what the gateway reported of a search in place of the vendor that ran it:
 * its steps, or sources without the proof that the caller's dialect has of its own. No vendor may be shown them.
 */
export function carriesSearch({ messages }: ChatRequest): boolean {
  return messages.some(({ parts }) => parts.some((part) => isStep(part) || isForeign(part)))
}

/** The messages without the steps of searches: what the model made of them stands in its text. */
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
