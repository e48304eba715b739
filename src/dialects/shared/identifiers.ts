import { randomText } from "../../canon/random-text.ts"

/** Characters of a call id, the same number as in OpenAI's own ids. They are enough to prevent collisions. */
const CALL_LENGTH = 24

/** Returns a new id of a response, such as `chatcmpl-...`. */
export function mintId(prefix: string): string {
  return prefix + crypto.randomUUID().replaceAll("-", "")
}

/** Maximum characters of a response's id, because every chunk of a stream repeats it. */
const MAX_ID_LENGTH = 512

/** Whether a response's id is longer than the ids of any known API, so that it is replaced. */
export function isLongId(id: string): boolean {
  return id.length > MAX_ID_LENGTH
}

/** Returns the vendor's id with the prefix of a dialect; a new id if the vendor's id is missing or too long. */
export function prefixedId(prefix: string, id: string | undefined): string {
  if (id === undefined || id === "" || isLongId(id)) return mintId(prefix)
  return id.startsWith(prefix) ? id : prefix + id
}

/**
 * Returns a new id of a tool call, for vendors that do not send ids. The calls of a conversation all have different
 * ids.
 */
export function mintCallId(): string {
  return `call_${randomText(CALL_LENGTH)}`
}

/**
 * Returns the id of a call in a form that another vendor accepts. An id that is too long is always replaced by the same
 * short id, so that call and result still match.
 * @param longest the vendor's limit in characters.
 */
export function fittedCallId(id: string, longest: number): string {
  if (id.length <= longest && /^[A-Za-z0-9_-]+$/.test(id)) return id
  return `call_${Bun.hash(id).toString(36)}`
}
