import { cleanedError, type GatewayError } from "./errors.ts"

const REDACTED = "[redacted]"
/** Shorter texts are not secrets that anyone issues, and occur in ordinary text. Characters. */
const SHORTEST = 8
/** A shorter secret is redacted only where it stands alone: it may be a word. Characters. */
const UNMISTAKABLE = 16
/** Secrets that were active before are remembered for requests that still run. */
const MAX_REMEMBERED = 2_000

/**
 * Removes the operator's secrets from what others write: a vendor that repeats a credential in an error, a
 * library that does so in its own. It finds them verbatim, as URLs and JSON escape them, as base64 at any
 * position of a longer text, as hexadecimal digits, and truncated at the end of a message.
 */
export class Redactor {
  readonly #secrets = new Set<string>()
  #pattern: RegExp | undefined

  /** Adds to the secrets it knows. */
  learn(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      if (secret.length >= SHORTEST) this.#secrets.add(secret)
    }
    for (const oldest of this.#secrets) {
      if (this.#secrets.size <= MAX_REMEMBERED) break
      this.#secrets.delete(oldest)
    }
    this.#pattern = undefined
  }

  /** @param further secrets that are only known now, such as a token. */
  clean(text: string, further: readonly string[] = []): string {
    this.#pattern ??= patternOf(this.#secrets)
    let cleaned = text.replace(this.#pattern, REDACTED)
    const fresh = further.filter((secret) => secret.length >= SHORTEST)
    if (fresh.length > 0) cleaned = cleaned.replace(patternOf(fresh), REDACTED)
    for (const secret of [...this.#secrets, ...fresh]) cleaned = withoutCutSecret(cleaned, secret)
    return cleaned
  }

  /** The same for all texts of an error; the same error object when nothing is removed. */
  cleanError(error: GatewayError, further: readonly string[] = []): GatewayError {
    return cleanedError(error, (text) => this.clean(text, further))
  }
}

/** One pattern for all of them, the longest first. */
function patternOf(secrets: Iterable<string>): RegExp {
  const forms = [...secrets]
    .toSorted((left, right) => right.length - left.length)
    .flatMap((secret) => [writtenForm(secret), ...packedForms(secret)])
  return new RegExp(forms.length === 0 ? "(?!)" : forms.join("|"), "gi")
}

/** Verbatim, where any character other than a letter or digit may be escaped as in a URL or JSON. */
function writtenForm(secret: string): string {
  const form = Array.from(secret, (character) => {
    if (/[A-Za-z0-9]/.test(character)) return character
    const plain = RegExp.escape(character)
    const unit = character.charCodeAt(0).toString(16).padStart(4, "0")
    const inUrl = encodeURIComponent(character)
    const byte = character.length === 1 && character < "\u0080" ? `|%${unit.slice(2)}` : ""
    return `(?:${plain}|\\\\${plain}|\\\\u${unit}|${RegExp.escape(inUrl)}${byte})`
  }).join("")
  return secret.length < UNMISTAKABLE ? `(?<![A-Za-z0-9])${form}(?![A-Za-z0-9])` : form
}

/** As base64 at each of the three positions of a group, without the digits that its neighbours share; and in hex. */
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

/** The text without the start of a secret at its end, where it was truncated. */
function withoutCutSecret(text: string, secret: string): string {
  const longest = Math.min(secret.length - 1, text.length)
  for (let length = longest; length >= SHORTEST; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + REDACTED
  }
  return text
}
