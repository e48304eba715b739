import { Signer } from "../signer.ts"

const SIGNER = new Signer("openai")
// The prefix of encrypted content from the vendor.
const PREFIX = "gAAAAA"

/** Returns a reasoning item's `encrypted_content`. The result differs for each call. */
export function encrypt(text: string): string {
  return PREFIX + SIGNER.wrap(text)
}

/**
 * Returns the encrypted content that is sent before the reasoning has ended
 * (docs/contribute/wire/openai-responses.md#f9).
 */
export function encryptUnfinished(): string {
  return `${PREFIX}unfinished`
}

/** Whether a text is unchanged `encrypted_content` from this vendor. */
export function decrypts(content: string): boolean {
  return content.startsWith(PREFIX) && SIGNER.opens(content.slice(PREFIX.length))
}
