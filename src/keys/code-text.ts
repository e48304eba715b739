import { randomBytes } from "node:crypto"

/** Crockford's base32 alphabet, without letters that resemble digits. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const PREFIX = "TG"
/** Characters of a code, with five bits each. 80 bits cannot be guessed. */
const LENGTH = 16
const SHAPE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`)

/** Creates a code: `TG-XXXX-XXXX-XXXX-XXXX`. It is shown once and never stored. */
export function newCodeText(): string {
  const symbols = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length])
  return formatted(symbols.join(""))
}

/** Returns the canonical form of a typed code; undefined if it is invalid. */
export function readCodeText(text: string): string | undefined {
  const typed = text
    .toUpperCase()
    .replace(/[\s\p{Pd}_.]/gu, "")
    .replaceAll("O", "0")
    .replace(/[IL]/g, "1")
  const symbols = typed.length > LENGTH && typed.startsWith(PREFIX) ? typed.slice(2) : typed
  return SHAPE.test(symbols) ? formatted(symbols) : undefined
}

function formatted(symbols: string): string {
  return [PREFIX, ...(symbols.match(/.{4}/g) ?? [])].join("-")
}
