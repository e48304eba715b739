import type { ChatRequest } from "../../canon/chat.ts"
import type { CacheKey } from "../../routing/route.ts"
import type { Call } from "../request/call.ts"

/** Minimum characters of a prompt with a cache key. Vendors only cache prompts of 1,024 tokens or more. */
const SHORTEST_PROMPT = 4_096
/** Separates texts, so that two different pairs of texts never look the same when they are joined. */
const GAP = "\u0000"

/**
 * Returns a key for the prompt cache of a vendor. It is the caller's own key, or else its session, or else a key
 * derived from the tools and instructions at the beginning of the chat. Returns undefined if all are missing, or if the
 * beginning is too short to be cached.
 */
export function cacheKeyOf(
  { key, labels }: Pick<Call, "key" | "labels">,
  request: ChatRequest,
): CacheKey | undefined {
  const { promptCacheKey } = request
  if (promptCacheKey !== undefined) {
    return { kind: "cache_key", text: key.account + GAP + promptCacheKey }
  }
  const session = labels?.session
  if (session !== undefined) return { kind: "session", text: key.account + GAP + session }
  const text = beginningOf(request)
  return text.length < SHORTEST_PROMPT ? undefined : { kind: "prompt", text }
}

/** Returns the tools and instructions at the beginning of a chat. */
function beginningOf({ messages, tools = [] }: ChatRequest): string {
  const texts = tools.flatMap(({ name, description = "" }) => [name, description])
  for (const { role, parts } of messages) {
    if (role !== "system" && role !== "developer") break
    for (const part of parts) if (part.type === "text") texts.push(part.text)
  }
  return texts.join(GAP)
}
