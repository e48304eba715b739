import type { JsonValue } from "../../canon/json.ts"

const PREFIX = "chatcmpl-"

/** A new id of a chat completion. */
export function mintId(): string {
  return PREFIX + crypto.randomUUID().replaceAll("-", "")
}

/**
 * The id as the specification wants it. Where the vendor gave none, the time stands in: it is the same
 * in every frame of a stream, which must all carry one id.
 */
export function withPrefix(id: JsonValue | undefined, created: JsonValue | undefined): string {
  if (typeof id !== "string" || id === "") return `${PREFIX}${String(created ?? 0)}`
  return id.startsWith(PREFIX) ? id : PREFIX + id
}

/** An id for a call that came without one: the same for the same answer, however often it is read. */
export function mintCallId(choice: number, call: number): string {
  return `call_${choice}_${call}`
}
