import type { DialectId } from "../../canon/extra.ts"
import type { Message, Part } from "../../canon/message.ts"
import type { LossList } from "./losses.ts"

/**
 * The conversation with the images of earlier answers in the user's next turn, for upstreams that accept none from the
 * assistant. What the assistant spoke becomes its words.
 * @param dialect keeps the images that stand for items of its own.
 * @returns the same list if there is nothing to move.
 */
export function shownByUser(
  messages: readonly Message[],
  dialect: DialectId,
  losses: LossList,
): readonly Message[] {
  const isMoved = (part: Part): boolean =>
    part.type === "audio" || (part.type === "image" && part.standsFor?.dialect !== dialect)
  const hasMedia = ({ role, parts }: Message): boolean =>
    role === "assistant" && parts.some(isMoved)
  if (!messages.some(hasMedia)) return messages
  const moved: Message[] = []
  let images: Part[] = []
  for (const message of messages) {
    if (message.role === "user" && images.length > 0) {
      moved.push({ ...message, parts: [...images, ...message.parts] })
      images = []
    } else if (hasMedia(message)) {
      images.push(...message.parts.filter((part) => part.type === "image" && isMoved(part)))
      const parts = message.parts.flatMap((part) => (isMoved(part) ? spoken(part, losses) : [part]))
      if (parts.length > 0) moved.push({ ...message, parts })
    } else moved.push(message)
  }
  if (images.length > 0) moved.push({ role: "user", parts: images })
  return moved
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
