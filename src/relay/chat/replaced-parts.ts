import type { DialectId, Loss } from "../../canon/extra.ts"
import { textAt } from "../../canon/json.ts"
import type { Message, Part } from "../../canon/message.ts"

/** The parts of a conversation that only another dialect has, and that a provider gets as text instead. */
export function replacedParts(messages: readonly Message[], dialect: DialectId): readonly Loss[] {
  const names = new Set<string>()
  const look = (part: Part): void => {
    if (part.type === "tool-result") part.content.forEach(look)
    if (part.type !== "text" || part.standsFor === undefined) return
    const { dialect: own, fields } = part.standsFor
    if (own !== dialect) names.add(textAt(fields, "type") ?? "content")
  }
  for (const { parts } of messages) parts.forEach(look)
  return [...names].map((name) => ({ name, effect: "approximated" }))
}
