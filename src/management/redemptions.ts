import type { Entry } from "#contract/accounts.ts"
import { GatewayError } from "../canon/errors.ts"
import { readCodeText } from "../keys/code-text.ts"
import { hintOf, type KeyHasher } from "../keys/secret.ts"
import type { CountedAttempt } from "../store/sign-in-attempts.ts"
import { StoreError } from "../store/store-error.ts"
import type { Store } from "../store/store.ts"
import type { AttemptLimits } from "../users/attempt-limits.ts"
import { clientNetwork } from "../users/client-network.ts"
import { type Actor, requireRole } from "./actor.ts"
import { requireAccount } from "./stored-accounts.ts"
import type { Audit } from "./audit.ts"
import { entryDocument } from "./credits.ts"

/** Maximum wrong codes per account and per network, counted across all processes. */
const WRONG_CODES = { max: 10, window: 15 * 60 * 1_000 }

export interface RedemptionParts {
  readonly store: Store
  readonly audit: Audit
  readonly hasher: KeyHasher
  readonly limits: AttemptLimits
}

/** Redeems codes for credits. */
export class Redemptions {
  readonly #parts: RedemptionParts

  constructor(parts: RedemptionParts) {
    this.#parts = parts
  }

  /**
   * Adds the credits of a code to an account.
   * @throws GatewayError `not_found`, `forbidden`; `invalid_value` for a wrong code, `too_many_attempts` after many
   * wrong codes; `conflict` for a code that can no longer be used.
   */
  async redeem(actor: Actor, account: string, text: string): Promise<Entry> {
    requireRole(actor, account, "member")
    const { store, audit, hasher, limits } = this.#parts
    await requireAccount(store, account)
    const takeBack = await limits.begin(attemptsOf(actor, account))
    const code = readCodeText(text)
    if (code === undefined) throw wrongCode()
    const change = {
      action: "account.redeem",
      account,
      target: account,
      after: { code: `...${hintOf(code)}` },
    }
    const author = await audit.names.authorOf(actor)
    const redemption = { hash: hasher.hash(code), account, at: Date.now(), author }
    try {
      const entry = await audit.perform(actor, change, (record) =>
        store.codes.redeem(redemption, record),
      )
      await takeBack()
      return { ...entryDocument(entry), author: actor.name }
    } catch (error) {
      const rejection = redemptionRejection(error)
      if (rejection.kind !== "invalid_value") await takeBack()
      throw rejection
    }
  }
}

/**
 * Returns the limits of an attempt. The address is only limited for people, because a program with the admin token has
 * the same address for all of its customers.
 */
function attemptsOf(actor: Actor, account: string): CountedAttempt[] {
  const isPerson = actor.kind === "user" && actor.address !== null
  return [
    { key: `redeem-account:${account}`, ...WRONG_CODES },
    ...(isPerson
      ? [{ key: `redeem-address:${clientNetwork(actor.address)}`, ...WRONG_CODES }]
      : []),
  ]
}

function wrongCode(cause?: unknown): GatewayError {
  return new GatewayError(
    "invalid_value",
    "There is no such code. A code has the form TG-XXXX-XXXX-XXXX-XXXX. Check it for typing errors.",
    { parameter: "code", cause },
  )
}

const UNUSABLE = {
  revoked: "This code was revoked. Ask the person who gave it to you for another.",
  expired: "This code has expired. Ask the person who gave it to you for another.",
  exists: "This account has already redeemed this code. Each account can redeem it once.",
  insufficient: "This code has no uses left. Ask the person who gave it to you for another.",
  too_much: "The account has as many credits as the ledger can hold.",
} as const

function redemptionRejection(error: unknown): GatewayError {
  if (!(error instanceof StoreError)) throw error
  if (error.code === "not_found") return wrongCode(error)
  const words = Object.hasOwn(UNUSABLE, error.code)
    ? UNUSABLE[error.code as keyof typeof UNUSABLE]
    : error.message
  return new GatewayError("conflict", words, { parameter: "code", cause: error })
}
