import { createHmac, timingSafeEqual } from "node:crypto"

const STEP_MS = 30_000
const DIGITS = 6
/**
 * Number of steps before and after the current one whose codes are also valid, because clocks differ and typing takes
 * time.
 */
const WINDOW = 1
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** Returns the number of the time step at a moment. */
export function stepAt(now: number): number {
  return Math.floor(now / STEP_MS)
}

/** Returns the last step whose code is valid at a moment. */
export function latestStep(now: number): number {
  return stepAt(now) + WINDOW
}

/**
 * Returns the code of a step (RFC 6238 with its default parameters, which are the only ones that all authenticator apps
 * support).
 */
export function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac("sha1", secret).update(counter).digest()
  const offset = (hash.at(-1) ?? 0) & 15
  const number = (hash.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS
  return String(number).padStart(DIGITS, "0")
}

/** Returns the step of a code; undefined for a wrong code. */
export function matchingStep(secret: string, code: string, now: number): number | undefined {
  const given = Buffer.from(code)
  let matching: number | undefined
  for (let step = stepAt(now) - WINDOW; step <= stepAt(now) + WINDOW; step++) {
    const right = Buffer.from(codeOf(secret, step))
    if (given.length === right.length && timingSafeEqual(given, right)) matching = step
  }
  return matching
}

/** Returns the secret in base32, so that it can be typed into an app (RFC 4648, without padding). */
export function secretText(secret: string): string {
  let text = ""
  let bits = 0
  let value = 0
  for (const byte of Buffer.from(secret)) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= 5; bits -= 5) text += BASE32.charAt((value >> (bits - 5)) & 31)
  }
  return bits === 0 ? text : text + BASE32.charAt((value << (5 - bits)) & 31)
}

/** Returns the text that the QR code contains. */
export function totpUri(secret: string, email: string): string {
  const parameters = new URLSearchParams({
    secret: secretText(secret),
    issuer: "Tollgate",
    digits: String(DIGITS),
    period: String(STEP_MS / 1_000),
  })
  return `otpauth://totp/Tollgate:${encodeURIComponent(email)}?${parameters.toString()}`
}
