import { pageOriginOf } from "#contract/page-origin.ts"
import type { Page } from "#contract/common.ts"
import type { Key, KeyChange, KeyWithSecret, NewKey } from "#contract/keys.ts"
import { StoreError } from "../store/store-error.ts"
import type {
  KeyChange as KeyRecordChange,
  KeyRecord,
  KeySecretRecord,
  NewKey as NewKeyRecord,
} from "../store/keys.ts"
import { readNetwork } from "../config/addresses.ts"
import { Fault } from "../config/reading.ts"
import { GatewayError } from "../canon/errors.ts"
import { minJsonLength } from "../canon/json-length.ts"
import { randomText } from "../canon/random-text.ts"
import { hintOf, type KeyHasher, newSecret } from "../keys/secret.ts"
import { parseCredits } from "../ledger/money.ts"
import { type Store } from "../store/store.ts"
import { type Actor, maySee, requireRole, scopeOf } from "./actor.ts"
import type { Audit } from "./audit.ts"
import { pageFrom, type PageQuery, timePositionOf } from "./cursor.ts"
import { boundedRows } from "./pages.ts"
import {
  keyDocument,
  keySettings,
  mayChangeKey,
  type KeyUse,
  statusOf,
  rejectionOf,
} from "./key-document.ts"
import { checkMemberKeyChange, checkNewMemberKey, memberKeyRulesOf } from "./member-keys.ts"
import { expiryOf } from "./expiry.ts"
import { toSentence } from "./sentence.ts"

/** Returns the use of keys by their ids. Keys without use are absent. */
export type KeyUses = (ids: readonly string[]) => Promise<ReadonlyMap<string, KeyUse>>

/** Functions of a running gateway that key management uses. CLI commands do not provide them. */
export interface KeyContext {
  /** Absent if the use of keys is not shown. */
  readonly uses?: KeyUses
  /** Called after each change, before the change returns, because a new key is usually used immediately. */
  readonly changed?: () => Promise<void>
}

export interface KeyQuery extends PageQuery {
  readonly account?: string | undefined
  readonly status?: Key["status"] | undefined
  readonly mine?: "true" | "false" | undefined
}

/**
 * Manages the keys of callers. Members of an account create keys within the rules of the account. Owners and the
 * creator of a key can change it.
 */
export class Keys {
  readonly #store: Store
  readonly #audit: Audit
  readonly #hasher: KeyHasher
  readonly #uses: KeyUses
  readonly #changed: () => Promise<void>

  constructor(store: Store, audit: Audit, hasher: KeyHasher, context: KeyContext = {}) {
    this.#store = store
    this.#audit = audit
    this.#hasher = hasher
    this.#uses = context.uses ?? (async () => new Map())
    this.#changed = context.changed ?? (async () => {})
  }

  /** Lists keys of one account or of all visible accounts, newest first. */
  async list(actor: Actor, input: KeyQuery): Promise<Page<Key>> {
    const now = Date.now()
    if (input.mine === "true" && actor.id === null) return NO_KEYS
    const filter = {
      accounts: scopeOf(actor, input.account),
      status: input.status,
      ...(input.mine === "true" && { createdBy: actor.id ?? "" }),
      now,
    }
    const after = timePositionOf(input.cursor)
    const { found, limit } = await boundedRows<KeyRecord>(
      input.limit,
      (last, count) =>
        this.#store.keys.list(filter, last ? { at: last.createdAt, id: last.id } : after, count),
      ({ models, aliases, addresses, origins }) =>
        minJsonLength([models, aliases, addresses, origins]),
    )
    const page = pageFrom(found, limit, (key) => [key.createdAt, key.id])
    return { ...page, data: await this.#documents(actor, page.data) }
  }

  /**
   * Returns a key.
   * @throws GatewayError `not_found`.
   */
  async find(actor: Actor, id: string): Promise<Key> {
    return this.#document(actor, await this.#require(actor, id))
  }

  /**
   * Creates a key.
   * @throws GatewayError `not_found` for other accounts, `forbidden`, `invalid_value`.
   */
  async create(actor: Actor, input: NewKey): Promise<KeyWithSecret> {
    const now = Date.now()
    const { secret, record: secretRecord } = this.#newSecret(now)
    const id = `key_${randomText(16)}`
    return { ...(await this.#insert(actor, input, id, secretRecord)), secret }
  }

  async #insert(actor: Actor, input: NewKey, id: string, secret: KeySecretRecord): Promise<Key> {
    requireRole(actor, input.account, "member")
    const account = await this.#store.accounts.find(input.account)
    if (account?.state === "closed") {
      throw new GatewayError("conflict", "This account is closed and cannot get new keys.")
    }
    if (account && isMember(actor, account.id)) checkNewMemberKey(memberKeyRulesOf(account), input)
    const now = Date.now()
    const createdBy = actor.kind === "user" ? actor.id : null
    const key: NewKeyRecord = { ...newKeyRecord(input, id, secret, now), createdBy }
    const after = { id: key.id, ...keySettings(key) }
    const change = { action: "key.create", account: key.account, target: key.id, after }
    const record = await this.#changing(() =>
      this.#audit.perform(actor, change, (record) => this.#store.keys.insert(key, record)),
    )
    return this.#document(actor, record)
  }

  /**
   * Changes a key.
   * @throws GatewayError `not_found`, `forbidden`, `invalid_value`; `conflict` if the key is revoked.
   */
  async change(actor: Actor, id: string, input: KeyChange): Promise<Key> {
    const before = await this.#requireUsable(actor, id)
    if (isMember(actor, before.account)) {
      const account = await this.#store.accounts.find(before.account)
      if (account) checkMemberKeyChange(memberKeyRulesOf(account), input, before)
    }
    const change = changeOf(input, Date.now())
    const audited = {
      action: "key.change",
      account: before.account,
      target: id,
      before: keySettings(before),
      after: keySettings({ ...before, ...change }),
    }
    const record = await this.#changing(() =>
      this.#audit.perform(actor, audited, (record) => this.#store.keys.update(id, change, record)),
    )
    return this.#document(actor, record)
  }

  /**
   * Creates a new secret for a key. Old secrets remain valid for a grace period.
   * @param grace length of the grace period in milliseconds.
   * @throws GatewayError `not_found`, `forbidden`; `conflict` if the key is revoked.
   */
  async rotate(actor: Actor, id: string, grace: number): Promise<KeyWithSecret> {
    const before = await this.#requireUsable(actor, id)
    const now = Date.now()
    const { secret, record: secretRecord } = this.#newSecret(now)
    const change = {
      action: "key.rotate",
      account: before.account,
      target: id,
      before: { hint: before.secrets[0]?.hint ?? null },
      after: { hint: secretRecord.hint, grace_seconds: Math.round(grace / 1_000) },
    }
    const record = await this.#changing(() =>
      this.#audit.perform(actor, change, (record) =>
        this.#store.keys.rotate(id, secretRecord, now + grace, record),
      ),
    )
    return { ...(await this.#document(actor, record)), secret }
  }

  /** Revokes a key permanently. Revoking it again has no effect. @throws GatewayError `not_found`, `forbidden`. */
  async revoke(actor: Actor, id: string): Promise<Key> {
    const before = await this.#requireChangeable(actor, id)
    if (before.revokedAt !== null) return this.#document(actor, before)
    const change = {
      action: "key.revoke",
      account: before.account,
      target: id,
      before: { status: statusOf(before, Date.now()) },
      after: { status: "revoked" },
    }
    const record = await this.#changing(() =>
      this.#audit.perform(actor, change, (record) =>
        this.#store.keys.revoke(id, Date.now(), record),
      ),
    )
    return this.#document(actor, record)
  }

  async #document(actor: Actor, record: KeyRecord): Promise<Key> {
    const [document] = await this.#documents(actor, [record])
    if (document === undefined) throw new Error("there is no document of the key")
    return document
  }

  async #documents(actor: Actor, records: readonly KeyRecord[]): Promise<Key[]> {
    const now = Date.now()
    const ids = [...new Set(records.map(({ account }) => account))]
    const [uses, ...found] = await Promise.all([
      this.#uses(records.map(({ id }) => id)),
      ...ids.map((id) => this.#store.accounts.find(id)),
    ])
    const accounts = new Map(ids.map((id, index) => [id, found[index] ?? null]))
    return records.map((record) => ({
      ...keyDocument(actor, record, now, uses.get(record.id)),
      rejected_with: rejectionOf(record, accounts.get(record.account) ?? null, now),
    }))
  }

  async #require(actor: Actor, id: string): Promise<KeyRecord> {
    const key = await this.#store.keys.find(id)
    if (!key || !maySee(actor, key.account)) {
      throw new GatewayError("not_found", `Key '${id.slice(0, 100)}' not found. Check its id.`)
    }
    return key
  }

  /**
   * Returns a key that the actor may change.
   * @throws GatewayError `not_found`, `forbidden`.
   */
  async #requireChangeable(actor: Actor, id: string): Promise<KeyRecord> {
    const key = await this.#require(actor, id)
    if (mayChangeKey(actor, key)) return key
    throw new GatewayError(
      "forbidden",
      "Only an owner of this account and the creator of this key may change it. Ask an owner.",
    )
  }

  async #requireUsable(actor: Actor, id: string): Promise<KeyRecord> {
    const key = await this.#requireChangeable(actor, id)
    if (key.revokedAt === null) return key
    throw new GatewayError("conflict", "This key was revoked permanently. Create a new one.")
  }

  #newSecret(now: number): { secret: string; record: KeySecretRecord } {
    const secret = newSecret()
    const hash = this.#hasher.hash(secret)
    return { secret, record: { hash, hint: hintOf(secret), createdAt: now, expiresAt: null } }
  }

  /** Runs a change. Converts errors of the store to `not_found` or `conflict`. */
  async #changing<Result>(step: () => Promise<Result>): Promise<Result> {
    try {
      const result = await step()
      await this.#changed()
      return result
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      if (error.code === "not_found") {
        throw new GatewayError("not_found", toSentence(error.message), { cause: error })
      }
      throw new GatewayError("conflict", toSentence(error.message), { cause: error })
    }
  }
}

/** Whether the rules for keys of members apply to an actor. */
function isMember(actor: Actor, account: string): boolean {
  return !actor.isOperator && actor.roles.get(account) === "member"
}

const NO_KEYS: Page<Key> = { object: "list", data: [], next_cursor: null }

const UNLIMITED = {
  models: null,
  aliases: null,
  budget: null,
  dailyBudget: null,
  monthlyBudget: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrentRequests: null,
  expiresAt: null,
  origins: null,
  isReadOnly: false,
  addresses: null,
}

/** Builds the first record of a key without a creator. @throws GatewayError `invalid_value`. */
export function newKeyRecord(
  input: NewKey,
  id: string,
  secret: KeySecretRecord,
  now: number,
): NewKeyRecord {
  return {
    ...UNLIMITED,
    ...changeOf(input, now),
    id,
    account: input.account,
    name: input.name,
    createdAt: now,
    createdBy: null,
    secret,
  }
}

/**
 * Validates and normalizes addresses.
 * @throws GatewayError `invalid_value`.
 */
function addressesOf(addresses: readonly string[] | null): readonly string[] | null {
  for (const text of addresses ?? []) {
    const network = readNetwork(text)
    if (!(network instanceof Fault)) continue
    const words = `'${text}' ${network.message}.`
    throw new GatewayError("invalid_value", words, { parameter: "addresses" })
  }
  return addresses
}

/** Converts the given members to a change in the format of the store. */
function changeOf(input: KeyChange, now: number): KeyRecordChange {
  return {
    ...(input.name !== undefined && { name: input.name }),
    ...(input.is_read_only !== undefined && { isReadOnly: input.is_read_only }),
    ...(input.addresses !== undefined && { addresses: addressesOf(input.addresses) }),
    ...(input.is_paused !== undefined && { pausedAt: input.is_paused ? now : null }),
    ...(input.models !== undefined && { models: input.models }),
    ...(input.aliases !== undefined && { aliases: input.aliases }),
    ...(input.budget !== undefined && { budget: amountOf(input.budget) }),
    ...(input.daily_budget !== undefined && { dailyBudget: amountOf(input.daily_budget) }),
    ...(input.monthly_budget !== undefined && { monthlyBudget: amountOf(input.monthly_budget) }),
    ...(input.requests_per_minute !== undefined && {
      requestsPerMinute: input.requests_per_minute,
    }),
    ...(input.tokens_per_minute !== undefined && { tokensPerMinute: input.tokens_per_minute }),
    ...(input.concurrent_requests !== undefined && {
      concurrentRequests: input.concurrent_requests,
    }),
    ...(input.expires_at !== undefined && { expiresAt: expiryOf(input.expires_at, now) }),
    ...(input.origins !== undefined && { origins: originsOf(input.origins) }),
  }
}

function amountOf(credits: string | null): bigint | null {
  return credits === null ? null : parseCredits(credits)
}

/** Converts origins to the form in which browsers send them, and removes duplicates. */
function originsOf(texts: readonly string[] | null): string[] | null {
  return texts === null ? null : [...new Set(texts.map((text) => pageOriginOf(text) ?? text))]
}
