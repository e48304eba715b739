import { AUDIT } from "../store/audit-record.ts"
import type { KeyRecord, KeySecretRecord } from "../../src/store/keys.ts"
import { randomText } from "../../src/canon/random-text.ts"
import { hintOf, type KeyHasher, newSecret } from "../../src/keys/secret.ts"
import type { Store } from "../../src/store/store.ts"

export interface KeyInput {
  readonly account: string
  readonly name: string
  readonly models?: readonly string[]
  readonly aliases?: Readonly<Record<string, string>>
  /** The key's budgets in total, per day and per month (UTC), in nanocredits. */
  readonly budget?: bigint
  readonly dailyBudget?: bigint
  readonly monthlyBudget?: bigint
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
  readonly concurrentRequests?: number
  /** Expiry time in Unix milliseconds. */
  readonly expiresAt?: number
  readonly origins?: readonly string[]
  readonly addresses?: readonly string[]
  readonly isReadOnly?: boolean
}

/** Issues and changes keys directly in the store, for tests of other features. */
export class KeyIssuer {
  readonly #store: Store
  readonly #hasher: KeyHasher

  constructor(store: Store, hasher: KeyHasher) {
    this.#store = store
    this.#hasher = hasher
  }

  async issue(order: KeyInput): Promise<{ secret: string; key: KeyRecord }> {
    const now = Date.now()
    const secret = newSecret()
    const key = await this.#store.keys.insert(
      {
        id: `key_${randomText(16)}`,
        account: order.account,
        name: order.name,
        models: order.models ?? null,
        aliases: order.aliases ?? null,
        budget: order.budget ?? null,
        dailyBudget: order.dailyBudget ?? null,
        monthlyBudget: order.monthlyBudget ?? null,
        requestsPerMinute: order.requestsPerMinute ?? null,
        tokensPerMinute: order.tokensPerMinute ?? null,
        concurrentRequests: order.concurrentRequests ?? null,
        createdAt: now,
        createdBy: null,
        expiresAt: order.expiresAt ?? null,
        origins: order.origins ?? null,
        isReadOnly: order.isReadOnly ?? false,
        addresses: order.addresses ?? null,
        secret: this.#recordOf(secret, now),
      },
      AUDIT,
    )
    return { secret, key }
  }

  /** @param grace time in milliseconds for which the old secret still works. */
  async rotate(id: string, grace: number): Promise<{ secret: string; key: KeyRecord }> {
    const now = Date.now()
    const secret = newSecret()
    const key = await this.#store.keys.rotate(id, this.#recordOf(secret, now), now + grace, AUDIT)
    return { secret, key }
  }

  revoke(id: string): Promise<KeyRecord> {
    return this.#store.keys.revoke(id, Date.now(), AUDIT)
  }

  #recordOf(secret: string, now: number): KeySecretRecord {
    return {
      hash: this.#hasher.hash(secret),
      hint: hintOf(secret),
      createdAt: now,
      expiresAt: null,
    }
  }
}
