import { Signer } from "../signer.ts"

const SIGNER = new Signer("openai")
// What the vendor's envelopes begin with.
const PREFIX = "gAAAAA"

/** A reasoning item's `encrypted_content`; never the same twice. */
export function encrypt(text: string): string {
  return PREFIX + SIGNER.wrap(text)
}

/**
 * An envelope that is not ready yet, as it comes before the reasoning is over
 * (docs/wire/openai-responses.md#f9).
 */
export function encryptUnfinished(): string {
  return `${PREFIX}unfinished`
}

/** True for an unchanged `encrypted_content` of this vendor. */
export function decrypts(content: string): boolean {
  return content.startsWith(PREFIX) && SIGNER.opens(content.slice(PREFIX.length))
}
