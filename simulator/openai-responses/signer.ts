import { Signer } from "../signer.ts"

const SIGNER = new Signer("openai")
// The prefix of the vendor's envelopes.
const PREFIX = "gAAAAA"

/** Returns a reasoning item's `encrypted_content`; never the same twice. */
export function encrypt(text: string): string {
  return PREFIX + SIGNER.wrap(text)
}

/** Returns an unfinished envelope, which is sent before the reasoning has ended (docs/contribute/wire/openai-responses.md#f9). */
export function encryptUnfinished(): string {
  return `${PREFIX}unfinished`
}

/** Whether a text is an unchanged `encrypted_content` of this vendor. */
export function decrypts(content: string): boolean {
  return content.startsWith(PREFIX) && SIGNER.opens(content.slice(PREFIX.length))
}
