import { randomBytes } from "node:crypto"

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
/**
 * Random bytes of at least this value are discarded, because they would make some characters more likely than others.
 */
const FAIR_LIMIT = 256 - (256 % ALPHABET.length)

/** Returns random base62 text with all characters equally likely. */
export function randomText(length: number): string {
  let text = ""
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < FAIR_LIMIT && text.length < length) text += ALPHABET.charAt(byte % ALPHABET.length)
    }
  }
  return text
}
