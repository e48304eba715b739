import type { DialectId } from "../../canon/extra.ts"
import type { Message, Part } from "../../canon/message.ts"
import type { LossList } from "./losses.ts"

/**
 * Returns the conversation with images of earlier responses moved to the next user turn, for upstreams that do not
 * accept images from the assistant. The assistant's audio is replaced by its words.
 * @param dialect the target dialect. Images that represent items of this dialect are kept.
 * @returns the same list if no media has to be moved.
 */
export function shownByUser(
  messages: readonly Message[],
  dialect: DialectId,
  losses: LossList,
): readonly Message[] {
  if (!hasAssistantMedia(messages, dialect)) return messages
  const isMoved = (part: Part): boolean => isForeign(part, dialect)
  const moved: Message[] = []
  let images: Part[] = []
  for (const message of messages) {
    if (message.role === "user" && images.length > 0) {
      moved.push({ ...message, parts: [...images, ...message.parts] })
      images = []
    } else if (message.role === "assistant") {
      images.push(...message.parts.filter((part) => part.type === "image" && isMoved(part)))
      const parts = message.parts.flatMap((part) => (isMoved(part) ? spoken(part, losses) : [part]))
      if (parts.length > 0 || message.parts.length === 0) moved.push({ ...message, parts })
    } else moved.push(message)
  }
  if (images.length > 0) moved.push({ role: "user", parts: images })
  return moved
}

/** Whether earlier responses have images or audio that are not items of the given dialect. */
export function hasAssistantMedia(messages: readonly Message[], dialect: DialectId): boolean {
  return messages.some(
    ({ role, parts }) => role === "assistant" && parts.some((part) => isForeign(part, dialect)),
  )
}

function isForeign(part: Part, dialect: DialectId): boolean {
  return part.type === "audio" || (part.type === "image" && part.standsFor?.dialect !== dialect)
}

function spoken(part: Part, losses: LossList): Part[] {
  if (part.type !== "audio") {
    losses.add("assistant.image", "approximated")
    return []
  }
  const { transcript } = part
  losses.add("audio", transcript === undefined ? "dropped" : "approximated")
  return transcript === undefined ? [] : [{ type: "text", text: transcript }]
}
