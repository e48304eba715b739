import type { Message, Part, ToolResultPart } from "../../canon/message.ts"

/**
 * Returns the conversation with each tool result directly after the turn that called the tool, as every provider
 * requires. Agents put other items between them, such as a message that the user typed while the tool ran, or repeat a
 * result.
 * @returns the same list if it is already in order.
 */
export function resultsAfterCalls(messages: readonly Message[]): readonly Message[] {
  if (isOrdered(messages)) return messages
  /** The results of each call, in reverse order. */
  const results = new Map<string, Message[]>()
  for (const message of messages.toReversed()) {
    for (const part of message.parts.toReversed()) {
      if (part.type !== "tool-result") continue
      const single = { ...message, parts: [part] }
      const others = results.get(part.id)
      if (others === undefined) results.set(part.id, [single])
      else others.push(single)
    }
  }
  const called = new Set(messages.flatMap(({ parts }) => callIds(parts)))
  const ordered: Message[] = []
  let waiting: string[] = []
  const answer = (): void => {
    ordered.push(...waiting.flatMap((id) => results.get(id)?.pop() ?? []))
    waiting = []
  }
  for (const message of messages) {
    if (message.role !== "assistant") answer()
    if (message.role === "tool") {
      // A result without a call keeps its position.
      const parts = message.parts.filter((part) => !isResult(part) || !called.has(part.id))
      if (parts.length > 0) ordered.push({ ...message, parts })
      continue
    }
    ordered.push(message)
    waiting.push(...callIds(message.parts))
  }
  answer()
  return ordered
}

/** Whether each result of a call is directly after the assistant's turn that contains the call. */
function isOrdered(messages: readonly Message[]): boolean {
  const called = new Set<string>()
  const pending = new Set<string>()
  for (const { role, parts } of messages) {
    if (role === "tool") {
      for (const part of parts) {
        if (isResult(part) && !pending.delete(part.id) && called.has(part.id)) return false
      }
      continue
    }
    if (role !== "assistant") pending.clear()
    for (const id of callIds(parts)) {
      pending.add(id)
      called.add(id)
    }
  }
  return true
}

function isResult(part: Part): part is ToolResultPart {
  return part.type === "tool-result"
}

function callIds(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : []))
}
