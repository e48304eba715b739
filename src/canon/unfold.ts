import type { ChatEvent, ChatResult, Choice } from "./chat.ts"
import type { Part } from "./message.ts"

/** The stream of events that folds to a whole answer. Parts that no event has are left out. */
export function eventsOf({ choices, usage, ...head }: ChatResult): ChatEvent[] {
  const events: ChatEvent[] = [{ type: "start", ...head }, ...choices.flatMap(eventsOfChoice)]
  if (usage !== undefined) events.push({ type: "usage", usage })
  return events
}

function eventsOfChoice({ index: choice, parts, ...end }: Choice): ChatEvent[] {
  const events: ChatEvent[] = []
  let calls = 0
  for (const part of parts) {
    if (part.type !== "tool-call") events.push(...eventsOfPart(choice, part))
    else {
      const { id, name, origin, arguments: written } = part
      const call = calls++
      const opening = { type: "tool-call-start", choice, call, id, name } as const
      events.push(origin === undefined ? opening : { ...opening, origin })
      events.push({ type: "tool-call-delta", choice, call, arguments: written })
    }
  }
  const { finish: reason, rawFinish, stopSequence, extra } = end
  if (extra !== undefined) events.push({ type: "choice-extra", choice, extra })
  events.push({
    type: "finish",
    choice,
    reason,
    ...(rawFinish !== undefined && { rawReason: rawFinish }),
    ...(stopSequence !== undefined && { stopSequence }),
  })
  return events
}

function eventsOfPart(choice: number, part: Part): ChatEvent[] {
  switch (part.type) {
    case "text": {
      const cited = part.citations ?? []
      const citations = cited.map((citation) => ({ type: "citation", choice, citation }) as const)
      return [{ type: "text-delta", choice, text: part.text }, ...citations]
    }
    case "refusal":
      return [{ type: "refusal-delta", choice, text: part.text }]
    case "reasoning": {
      const { text, signature, signedBy, isRedacted, id, extra } = part
      const events: ChatEvent[] = text === "" ? [] : [{ type: "reasoning-delta", choice, text }]
      if (signature === undefined || signedBy === undefined) return events
      const proof = { type: "reasoning-signature", choice, signature, signedBy } as const
      const others = {
        ...(id !== undefined && { id }),
        ...(isRedacted !== undefined && { isRedacted }),
        ...(extra !== undefined && { extra }),
      }
      return [...events, { ...proof, ...others }]
    }
    case "image":
    case "audio":
      return [{ type: "media", choice, media: part }]
    case "unknown":
      return [{ type: "choice-extra", choice, extra: part.extra }]
    case "web-search":
      return [{ type: "web-search", choice, search: part }]
    default:
      return []
  }
}
