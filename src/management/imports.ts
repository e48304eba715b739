import type { AccountChange } from "#contract/accounts.ts"
import type { NewKey } from "#contract/keys.ts"
import { GatewayError } from "../canon/errors.ts"
import type { KeyHasher } from "../keys/secret.ts"
import { formatCredits } from "../ledger/money.ts"
import { type AccountRecord, FRESH_ACCOUNT } from "../store/accounts.ts"
import type { BatchStep } from "../store/batches.ts"
import type { Store } from "../store/store.ts"
import { StoreError } from "../store/store-error.ts"
import { accountDocument, limitsOf } from "./account-document.ts"
import { type Actor, requireOperator } from "./actor.ts"
import type { Audit, AuditedChange } from "./audit.ts"
import { keySettings } from "./key-document.ts"
import { newKeyRecord } from "./keys.ts"

/** A key of another gateway, which is either the key itself or only its hexadecimal SHA-256. */
export type ForeignSecret = { readonly hint: string } & (
  | { readonly secret: string }
  | { readonly digest: string }
)

export interface ImportedKey {
  /** Id that is derived from the key's origin, so that a repeated import finds the key. */
  readonly id: string
  readonly input: Omit<NewKey, "account">
  readonly secret: ForeignSecret
  readonly isPaused: boolean
}

export interface ImportedAccount {
  /** Id that is derived from the account's origin, like the ids of keys. */
  readonly id: string
  readonly name: string
  readonly limits: Omit<AccountChange, "name" | "stores_content" | "state">
  readonly isPaused: boolean
  /** Initial credits in nanocredits. */
  readonly credits: bigint
  /** The note of the grant. If the ledger already has a grant with this note, no second grant is made. */
  readonly note: string
  readonly keys: readonly ImportedKey[]
}

export interface ImportCounts {
  readonly accounts: number
  readonly keys: number
  readonly grants: number
  /** Number of accounts and keys that already existed. */
  readonly present: number
}

/** A write to the store, without its audit record. */
type Write<Step = BatchStep> = Step extends unknown ? Omit<Step, "audit"> : never
type Change = Omit<AuditedChange, "action">

const ENTRIES_PER_READ = 500

/** Imports accounts, credits and keys of other gateways in one transaction. */
export class Imports {
  readonly #store: Store
  readonly #audit: Audit
  readonly #hasher: KeyHasher
  readonly #changed: () => Promise<void>

  /** @param changed called after the write, because keys are usually used immediately. */
  constructor(store: Store, audit: Audit, hasher: KeyHasher, changed = async () => {}) {
    this.#store = store
    this.#audit = audit
    this.#hasher = hasher
    this.#changed = changed
  }

  /**
   * Writes the missing records in one transaction.
   * @throws GatewayError `forbidden`, `invalid_value`; `conflict` if an account is closed, or if one of the accounts
   *   was created at the same time.
   */
  async apply(actor: Actor, accounts: readonly ImportedAccount[]): Promise<ImportCounts> {
    requireOperator(actor)
    const steps: BatchStep[] = []
    let present = 0
    for (const account of accounts) {
      const made = await this.#stepsOf(actor, account)
      steps.push(...made.steps)
      present += made.present
    }
    await this.#write(steps)
    const count = (kind: BatchStep["kind"]) => steps.filter((step) => step.kind === kind).length
    return {
      accounts: count("account.create"),
      keys: count("key.create"),
      grants: count("account.entry"),
      present,
    }
  }

  async #write(steps: readonly BatchStep[]): Promise<void> {
    if (steps.length === 0) return
    try {
      await this.#store.batches.write(steps)
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      const words = `Nothing was imported: ${error.message}. Run the import again.`
      throw new GatewayError("conflict", words, { cause: error })
    }
    await this.#changed()
  }

  async #stepsOf(
    actor: Actor,
    account: ImportedAccount,
  ): Promise<{ readonly steps: readonly BatchStep[]; readonly present: number }> {
    const { accounts, keys } = this.#store
    const found = (await accounts.find(account.id)) ?? (await accounts.find(account.name))
    if (found?.state === "closed") {
      const words = `Nothing was imported: the account '${found.name}' is closed. Reopen or rename it, then run the import again.`
      throw new GatewayError("conflict", words)
    }
    const steps = found ? [] : await this.#accountSteps(actor, account)
    const id = found?.id ?? account.id
    steps.push(...(await this.#grantSteps(actor, account, found)))
    let present = found ? 1 : 0
    for (const key of account.keys) {
      if (await keys.find(key.id)) present++
      else steps.push(...(await this.#keySteps(actor, key, id)))
    }
    return { steps, present }
  }

  async #accountSteps(actor: Actor, planned: ImportedAccount): Promise<BatchStep[]> {
    const { id, name, isPaused } = planned
    const account = { id, name, createdAt: Date.now(), limits: limitsOf(planned.limits) }
    const fresh = { ...FRESH_ACCOUNT, ...account }
    const before = accountDocument(fresh)
    const about = { account: id, target: id }
    const created = await this.#step(
      actor,
      { kind: "account.create", account },
      { ...about, after: before },
    )
    if (!isPaused) return [created]
    const after = accountDocument({ ...fresh, state: "paused" })
    const change = { kind: "account.change", id, change: { state: "paused" } } as const
    return [created, await this.#step(actor, change, { ...about, before, after })]
  }

  async #grantSteps(
    actor: Actor,
    { id: newId, credits: amount, note }: ImportedAccount,
    found: AccountRecord | null,
  ): Promise<BatchStep[]> {
    if (amount <= 0n || (found && (await this.#hasGrant(found.id, note)))) return []
    const account = found?.id ?? newId
    const author = await this.#audit.names.authorOf(actor)
    const entry = { account, kind: "grant", amount, at: Date.now(), note, author } as const
    const after = { kind: "grant", amount: formatCredits(amount), note }
    return [
      await this.#step(
        actor,
        { kind: "account.entry", entry },
        { account, target: account, after },
      ),
    ]
  }

  async #hasGrant(account: string, note: string): Promise<boolean> {
    for (let before: number | null = null; ;) {
      const page = await this.#store.entries.listBack(account, before, ENTRIES_PER_READ, "grant")
      if (page.some((entry) => entry.note === note)) return true
      const last = page.at(-1)
      if (!last || page.length < ENTRIES_PER_READ) return false
      before = last.number
    }
  }

  async #keySteps(actor: Actor, planned: ImportedKey, account: string): Promise<BatchStep[]> {
    const { id, input, secret, isPaused } = planned
    const now = Date.now()
    const hash =
      "secret" in secret ? this.#hasher.hash(secret.secret) : this.#hasher.hashDigest(secret.digest)
    const record = { hash, hint: secret.hint, createdAt: now, expiresAt: null }
    const key = newKeyRecord({ ...input, account }, id, record, now)
    const before = { id, ...keySettings(key) }
    const about = { account, target: id }
    const created = await this.#step(
      actor,
      { kind: "key.create", key },
      { ...about, after: before },
    )
    if (!isPaused) return [created]
    const change = { kind: "key.change", id, change: { pausedAt: now } } as const
    const after = keySettings({ ...key, pausedAt: now })
    return [created, await this.#step(actor, change, { ...about, before: keySettings(key), after })]
  }

  async #step(actor: Actor, write: Write, change: Change): Promise<BatchStep> {
    return this.#audit.perform(actor, { ...change, action: write.kind }, async (audit) => ({
      ...write,
      audit,
    }))
  }
}
