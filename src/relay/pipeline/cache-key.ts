import type { ChatRequest } from "../../canon/chat.ts"
import type { CacheKey } from "../../routing/route.ts"
import type { Call } from "../request/call.ts"

/** Minimum characters: vendors cache prompts of 1,024 tokens or more. */
const SHORTEST_PROMPT = 4_096
/** Between texts that must not run into each other. */
const GAP = "\u0000"

/**
 * What a vendor's cache may know a chat by: the caller's own key, else its session, else the tools and instructions that
 * it begins with. Undefined where none of it says anything, or it is too short to be cached.
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

/** Tools and instructions, as far as they come before anything else. */
function beginningOf({ messages, tools = [] }: ChatRequest): string {
  const texts = tools.flatMap(({ name, description = "" }) => [name, description])
  for (const { role, parts } of messages) {
    if (role !== "system" && role !== "developer") break
    for (const part of parts) if (part.type === "text") texts.push(part.text)
  }
  return texts.join(GAP)
}
