import type { DialectId, Loss } from "../../canon/extra.ts"
import { textAt } from "../../canon/json.ts"
import type { Message, Part, TextPart } from "../../canon/message.ts"

/** A conversation as a provider gets it, and what of it is text only there. */
export interface ReplacedParts {
  readonly messages: readonly Message[]
  readonly losses: readonly Loss[]
}

/**
 * Replaces the parts that only another dialect has by the text that stands for them. A part without such a text concerns
 * only the provider of that dialect and is left out.
 */
export function replaceParts(messages: readonly Message[], dialect: DialectId): ReplacedParts {
  const names = new Set<string>()
  let hasSilent = false
  const look = (part: Part): void => {
    if (part.type === "tool-result") part.content.forEach(look)
    if (!isReplaced(part, dialect)) return
    if (part.text === "") hasSilent = true
    else names.add(textAt(part.standsFor?.fields ?? {}, "type") ?? "content")
  }
  for (const { parts } of messages) parts.forEach(look)
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
