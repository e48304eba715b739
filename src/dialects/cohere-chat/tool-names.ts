import type { ChatRequest } from "../../canon/chat.ts"

const TAKEN = /^[A-Za-z_][A-Za-z0-9_]*$/
/** Digits of the hash that keeps `a-b` and `a.b` apart. */
const HASH_LENGTH = 6

/**
 * The name of a tool as Cohere takes it: letters, digits and `_`, no digit first (its page of errors).
 * The same name always becomes the same one, and the caller never sees it.
 */
export function fittedToolName(name: string): string {
  if (TAKEN.test(name)) return name
  const hash = Bun.hash(name).toString(36).slice(0, HASH_LENGTH)
  return `${name.replaceAll(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "_")}_${hash}`
}

/** The caller's own name of a tool that Cohere calls. */
export function callersToolName(name: string, request: ChatRequest | undefined): string {
  return request?.tools?.find((tool) => fittedToolName(tool.name) === name)?.name ?? name
}
