import { randomBytes } from "node:crypto"

/** Crockford's base32: no letter that is mistaken for a digit. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const PREFIX = "TG"
/** Five bits each: 80 bits, far more than can be guessed. */
const LENGTH = 16
const SHAPE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`)

/** A new code: `TG-XXXX-XXXX-XXXX-XXXX`. Shown once, stored nowhere. */
export function newCodeText(): string {
  const symbols = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length])
  return formatted(symbols.join(""))
}

/** The canonical form of a code that someone typed; undefined when it cannot be one. */
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
