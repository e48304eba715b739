import { createHmac, timingSafeEqual } from "node:crypto"
import { GatewayError } from "../canon/errors.ts"
import { randomText } from "../canon/random-text.ts"
import type { ConsoleStore } from "../store/console-store.ts"
import type { SecondFactor } from "../store/second-factors.ts"
import type { UserRecord } from "../store/users.ts"
import type { FactorCipher } from "./factor-cipher.ts"
import { LOCK_SECONDS, rejections } from "./rejections.ts"
import { isSameSecret } from "../secrets/same-secret.ts"

const LOCK = { max: 10, duration: LOCK_SECONDS * 1_000 }
const BACKUP_CODES = 10
const SECRET_LENGTH = 32

export interface SecondFactorInput {
  readonly kind: "totp" | "backup-code"
  readonly code: string
  /** Whether this browser can skip the code for 30 days. */
  readonly trustDevice: boolean
}

/** Secrets that are returned only once, when a second factor is set up. */
export interface TwoFactorSetup {
  readonly uri: string
  readonly secret: string
  readonly backupCodes: readonly string[]
}

/** Authenticator apps and backup codes. */
export class SecondFactors {
  readonly #store: ConsoleStore
  readonly #cipher: FactorCipher

  constructor(store: ConsoleStore, cipher: FactorCipher) {
    this.#store = store
    this.#cipher = cipher
  }

  /**
   * Sets up a second factor, which becomes active with the first correct code.
   * @throws GatewayError `conflict` if a factor is already active.
   */
  async begin(user: UserRecord): Promise<TwoFactorSetup> {
    const secret = randomText(SECRET_LENGTH)
    const backupCodes = newBackupCodes()
    const hasBegun = await this.#store.secondFactors.begin(
      user.id,
      this.#cipher.encrypt(secret),
      this.#cipher.encrypt(JSON.stringify(backupCodes)),
    )
    if (!hasBegun) throw rejections.hasSecondFactor()
    return { uri: totpUri(secret, user.email), secret: secretText(secret), backupCodes }
  }

  /**
   * Returns the second factor of a user.
   * @throws GatewayError `conflict` for a user without a second factor.
   */
  async require(user: UserRecord): Promise<SecondFactor> {
    const factor = await this.#store.secondFactors.find(user.id)
    if (factor) return factor
    throw rejections.hasNoSecondFactor()
  }

  /**
   * Requires that a factor is not locked.
   * @throws GatewayError `too_many_attempts` while it is locked.
   */
  requireUnlocked({ lockedUntil }: SecondFactor): void {
    if (lockedUntil === null) return
    const wait = lockedUntil - Date.now()
    // A wait that exceeds the duration of a lock means that the clock was set back. The lock is then ignored.
    if (wait > 0 && wait <= LOCK.duration) throw rejections.isLocked()
  }

  /**
   * Uses up a code.
   * @throws GatewayError `invalid_value` for a wrong or used code.
   */
  async use(
    user: UserRecord,
    factor: SecondFactor,
    { kind, code }: Pick<SecondFactorInput, "kind" | "code">,
  ): Promise<void> {
    const text = code.replaceAll(" ", "")
    if (kind === "totp") await this.#useTotp(user, factor, text)
    else await this.#useBackupCode(user, factor, text)
  }

  /** Counts a wrong code. The tenth consecutive wrong code locks the factor for 15 minutes. */
  fail(user: UserRecord): Promise<void> {
    return this.#store.secondFactors.fail(user.id, Date.now(), LOCK)
  }

  /** Replaces the backup codes. @throws GatewayError `conflict` without a second factor. */
  async replaceBackupCodes(user: UserRecord): Promise<readonly string[]> {
    const factor = await this.require(user)
    const codes = newBackupCodes()
    const encrypted = this.#cipher.encrypt(JSON.stringify(codes))
    if (await this.#store.secondFactors.replaceBackupCodes(user.id, factor.backupCodes, encrypted))
      return codes
    throw new GatewayError("conflict", "The backup codes have changed in the meantime. Try again.")
  }

  async #useTotp(user: UserRecord, factor: SecondFactor, code: string): Promise<void> {
    const now = Date.now()
    const step = matchingStep(this.#decrypt(factor.secret), code, now)
    if (step === undefined) throw rejections.wrongCode()
    if (!(await this.#store.secondFactors.useStep(user.id, step, latestStep(now))))
      throw rejections.usedCode()
  }

  async #useBackupCode(user: UserRecord, factor: SecondFactor, code: string): Promise<void> {
    const codes: unknown = JSON.parse(this.#decrypt(factor.backupCodes))
    if (!Array.isArray(codes)) throw new Error("the backup codes are not a list")
    const left = codes.filter((one) => !isSameSecret(String(one), code))
    if (left.length === codes.length) throw rejections.wrongBackupCode()
    const { secondFactors } = this.#store
    const encrypted = this.#cipher.encrypt(JSON.stringify(left))
    if (!(await secondFactors.replaceBackupCodes(user.id, factor.backupCodes, encrypted)))
      throw rejections.wrongBackupCode()
    await secondFactors.succeed(user.id)
  }

  #decrypt(encrypted: string): string {
    try {
      return this.#cipher.decrypt(encrypted)
    } catch (cause) {
      throw new GatewayError(
        "internal_error",
        "Your second factor cannot be decrypted: the gateway's session secret has changed since it was set up. Ask an operator to switch it off.",
        { cause },
      )
    }
  }
}

function newBackupCodes(): string[] {
  return Array.from({ length: BACKUP_CODES }, () => `${randomText(5)}-${randomText(5)}`)
}

/** Whether two texts are equal, compared in constant time. */

const STEP_MS = 30_000
const DIGITS = 6
/**
 * Number of steps before and after the current one whose codes are also valid, because clocks differ and typing takes
 * time.
 */
const WINDOW = 1
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** Returns the number of the time step at a moment. */
function stepAt(now: number): number {
  return Math.floor(now / STEP_MS)
}

/** Returns the last step whose code is valid at a moment. */
function latestStep(now: number): number {
  return stepAt(now) + WINDOW
}

/**
 * Returns the code of a step (RFC 6238 with its default parameters, which are the only ones that all authenticator apps
 * support).
 */
function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac("sha1", secret).update(counter).digest()
  const offset = (hash.at(-1) ?? 0) & 15
  const number = (hash.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS
  return String(number).padStart(DIGITS, "0")
}

/** Returns the step of a code; undefined for a wrong code. */
function matchingStep(secret: string, code: string, now: number): number | undefined {
  const given = Buffer.from(code)
  let matching: number | undefined
  for (let step = stepAt(now) - WINDOW; step <= stepAt(now) + WINDOW; step++) {
    const right = Buffer.from(codeOf(secret, step))
    if (given.length === right.length && timingSafeEqual(given, right)) matching = step
  }
  return matching
}

/** Returns the secret in base32, so that it can be typed into an app (RFC 4648, without padding). */
function secretText(secret: string): string {
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
function totpUri(secret: string, email: string): string {
  const parameters = new URLSearchParams({
    secret: secretText(secret),
    issuer: "Tollgate",
    digits: String(DIGITS),
    period: String(STEP_MS / 1_000),
  })
  return `otpauth://totp/Tollgate:${encodeURIComponent(email)}?${parameters.toString()}`
}
