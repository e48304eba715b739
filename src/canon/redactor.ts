import { cleanedError, type GatewayError } from "./errors.ts"

const REDACTED = "[redacted]"
/**
 * Minimum length of a text that is treated as a secret. Shorter texts are not issued as secrets, and occur in ordinary
 * text.
 */
const MIN_SECRET_LENGTH = 8
/** Secrets shorter than this are only redacted as separate words, because they may occur inside ordinary words. */
const MIN_UNAMBIGUOUS_LENGTH = 16
/**
 * Maximum number of secrets, including former secrets that running requests may still use. Former secrets are removed
 * first, and current secrets never.
 */
const MAX_REMEMBERED = 2_000

/**
 * Removes the operator's secrets from texts that others wrote, such as an error in which a vendor or library repeats a
 * credential. It finds secrets verbatim, escaped for URLs and JSON, and as hexadecimal digits. It also finds secrets as
 * base64 at any position in a longer text, and truncated at the end of a message.
 */
export class Redactor {
  readonly #secrets = new Set<string>()
  #pattern: RegExp | undefined

  /** @param secrets all current secrets. Earlier secrets become former secrets. */
  addSecrets(secrets: Iterable<string>): void {
    const current = new Set([...secrets].filter(({ length }) => length >= MIN_SECRET_LENGTH))
    for (const secret of current) {
      // A current secret moves behind the former secrets.
      this.#secrets.delete(secret)
      this.#secrets.add(secret)
    }
    for (const oldest of this.#secrets) {
      if (this.#secrets.size <= Math.max(MAX_REMEMBERED, current.size)) break
      this.#secrets.delete(oldest)
    }
    this.#pattern = undefined
  }

  /**
   * Returns a text without secrets.
   * @param further secrets that were just created, such as a token.
   */
  clean(text: string, further: readonly string[] = []): string {
    this.#pattern ??= patternOf(this.#secrets)
    let cleaned = text.replace(this.#pattern, REDACTED)
    const fresh = further.filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    if (fresh.length > 0) cleaned = cleaned.replace(patternOf(fresh), REDACTED)
    for (const secret of [...this.#secrets, ...fresh]) cleaned = withoutCutSecret(cleaned, secret)
    return cleaned
  }

  /** Cleans all texts of an error. Returns the same object if nothing is removed. */
  cleanError(error: GatewayError, further: readonly string[] = []): GatewayError {
    return cleanedError(error, (text) => this.clean(text, further))
  }
}

/** Builds one pattern for all secrets, longest first. */
function patternOf(secrets: Iterable<string>): RegExp {
  const forms = [...secrets]
    .toSorted((left, right) => right.length - left.length)
    .flatMap((secret) => [writtenForm(secret), ...packedForms(secret)])
  return new RegExp(forms.length === 0 ? "(?!)" : forms.join("|"), "gi")
}

/**
 * Returns a pattern for a secret written verbatim. Any character other than a letter or digit may be escaped as in a
 * URL or JSON.
 */
function writtenForm(secret: string): string {
  const form = Array.from(secret, (character) => {
    if (/[A-Za-z0-9]/.test(character)) return character
    const plain = RegExp.escape(character)
    const unit = character.charCodeAt(0).toString(16).padStart(4, "0")
    const inUrl = encodeURIComponent(character)
    const byte = character.length === 1 && character < "\u0080" ? `|%${unit.slice(2)}` : ""
    return `(?:${plain}|\\\\${plain}|\\\\u${unit}|${RegExp.escape(inUrl)}${byte})`
  }).join("")
  return secret.length < MIN_UNAMBIGUOUS_LENGTH ? `(?<![A-Za-z0-9])${form}(?![A-Za-z0-9])` : form
}

/**
 * Returns the secret in hexadecimal digits, and as base64 at each of the three positions in a group of bytes. Base64
 * digits that also encode neighboring bytes are left out.
 */
function packedForms(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const inBase64 = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64")
    const whole = Math.floor(((before + bytes.length) * 8) / 6)
    const own = text.slice(Math.ceil((before * 8) / 6), whole)
    return own.replaceAll("+", "[+-]").replaceAll("/", "(?:/|\\\\/|_)")
  })
  return [...inBase64, bytes.toString("hex")]
}

/** Removes the beginning of a secret from the end of a text that was truncated. */
function withoutCutSecret(text: string, secret: string): string {
  const longest = Math.min(secret.length - 1, text.length)
  for (let length = longest; length >= MIN_SECRET_LENGTH; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + REDACTED
  }
  return text
}
