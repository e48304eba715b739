import { randomText } from "../../canon/random-text.ts"

/** Characters of a call's id: as many as OpenAI's own have, and enough to prevent collisions. */
const CALL_LENGTH = 24

/** A new id of an answer, such as `chatcmpl-...`. */
export function mintId(prefix: string): string {
  return prefix + crypto.randomUUID().replaceAll("-", "")
}

/** Maximum length of an answer's id, because every chunk of a stream repeats it. Characters. */
const MAX_ID_LENGTH = 512

/** Whether an answer's id is longer than any known API's, so that it is replaced. */
export function isLongId(id: string): boolean {
  return id.length > MAX_ID_LENGTH
}

/** Returns the vendor's id with a dialect's prefix; a new id if the vendor's id is missing or too long. */
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
 * The id of a call in a form that another vendor accepts: unchanged if it fits, else always the same short one,
 * so that call and answer still match.
 * @param longest the vendor's limit in characters.
 */
export function fittedCallId(id: string, longest: number): string {
  if (id.length <= longest && /^[A-Za-z0-9_-]+$/.test(id)) return id
  return `call_${Bun.hash(id).toString(36)}`
}
