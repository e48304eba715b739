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
  /** Id that is derived from the account's origin, like the ids of keys. It does not depend on the name. */
  readonly id: string
  /** The name of a new account. If another account has it, the note is appended. */
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
  /** Accounts that were created under a different name, because another account has their name. */
  readonly renamed: readonly { readonly name: string; readonly created_as: string }[]
  /** Accounts that were left out completely, because they are closed or may belong to someone else. */
  readonly left_out: readonly LeftOut[]
}

export interface LeftOut {
  /** The name in the other gateway. */
  readonly name: string
  readonly reason: string
}

/** A write to the store, without its audit record. */
type Write<Step = BatchStep> = Step extends unknown ? Omit<Step, "audit"> : never
type Change = Omit<AuditedChange, "action">

interface AccountSteps {
  readonly steps: readonly BatchStep[]
  /** Whether the account was imported before. */
  readonly isFound: boolean
  readonly knownKeys: number
  /** The reason why the account is left out; absent if it is not. */
  readonly reason?: string
}

const ENTRIES_PER_READ = 500
/** Maximum number of accounts that an error names. */
const MAX_NAMED = 5
/** The next step for keys that cannot be imported, because their owner is unclear. */
const REPLACE_KEYS =
  "create new keys for the account ('tollgate key create --account NAME') and give these to its users"
/** Maximum length of an account's name. */
const MAX_NAME_LENGTH = 100

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
   * @throws GatewayError `forbidden`, `invalid_value`; `conflict` if an account was created at the same time, or
   *   if the source may be another installation.
   */
  async apply(actor: Actor, accounts: readonly ImportedAccount[]): Promise<ImportCounts> {
    requireOperator(actor)
    const steps: BatchStep[] = []
    const renamed: { name: string; created_as: string }[] = []
    const leftOut: LeftOut[] = []
    let [knownAccounts, knownKeys] = [0, 0]
    const taken = new Set<string>()
    for (const account of accounts) {
      const made = await this.#stepsOf(actor, account, taken)
      knownKeys += made.knownKeys
      if (made.reason !== undefined) {
        leftOut.push({ name: account.name, reason: made.reason })
        continue
      }
      steps.push(...made.steps)
      if (made.isFound) knownAccounts++
      for (const step of made.steps) {
        if (step.kind !== "account.create" || step.account.name === account.name) continue
        renamed.push({ name: account.name, created_as: step.account.name })
      }
    }
    const count = (kind: BatchStep["kind"]) => steps.filter((step) => step.kind === kind).length
    if (knownKeys === 0 && leftOut.length > 0) {
      throw conflict(noKnownKey(leftOut))
    }
    await this.#write(steps)
    return {
      accounts: count("account.create"),
      keys: count("key.create"),
      grants: count("account.entry"),
      present: knownAccounts + knownKeys,
      renamed,
      left_out: leftOut,
    }
  }

  async #write(steps: readonly BatchStep[]): Promise<void> {
    if (steps.length === 0) return
    try {
      await this.#store.batches.write(steps)
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      throw conflict(`${error.message}. Run the import again.`, error)
    }
    await this.#changed()
  }

  async #stepsOf(
    actor: Actor,
    account: ImportedAccount,
    taken: Set<string>,
  ): Promise<AccountSteps> {
    const found = await this.#accountOf(account.id)
    const existing = new Map<string, string>()
    for (const { id } of account.keys) {
      const key = await this.#store.keys.find(id)
      if (key) existing.set(id, key.account)
    }
    const owners = [...existing.values()]
    const [knownKeys, isFound] = [existing.size, found !== null]
    const [owner] = owners
    if (found?.state === "closed") {
      const reason = `The account '${found.name}' is closed. To import more of it, reopen it.`
      return { steps: [], isFound, knownKeys, reason }
    }
    if (!found && owner !== undefined) {
      return { steps: [], isFound, knownKeys, reason: await this.#ownedBy(owner) }
    }
    const steps = found
      ? []
      : await this.#accountSteps(actor, await this.#withFreeName(account, taken))
    steps.push(...(await this.#grantSteps(actor, account, found)))
    for (const key of account.keys) {
      if (!existing.has(key.id)) steps.push(...(await this.#keySteps(actor, key, account.id)))
    }
    // Names and numbers do not identify an account, because users choose names and each installation counts from one.
    if (found && steps.length > 0 && !owners.includes(found.id)) {
      return { steps: [], isFound, knownKeys, reason: otherOwner(account, found) }
    }
    return { steps, isFound, knownKeys }
  }

  /** Returns the reason to leave out a new account whose keys already belong to an existing account. */
  async #ownedBy(owner: string): Promise<string> {
    const name = (await this.#store.accounts.find(owner))?.name ?? owner
    return `Some of its keys belong to the account '${name}'. Use the same --source as in the first import.`
  }

  /** Returns the account with an id. `find` also searches by name, so it may return another account. */
  async #accountOf(id: string): Promise<AccountRecord | null> {
    const found = await this.#store.accounts.find(id)
    return found?.id === id ? found : null
  }

  /**
   * Gives an account a different name if its name belongs to another account, because that account has another owner.
   */
  async #withFreeName(planned: ImportedAccount, taken: Set<string>): Promise<ImportedAccount> {
    const { name, note } = planned
    let free = name
    for (let count = 1; taken.has(free) || (await this.#store.accounts.find(free)); count++) {
      const number = count === 1 ? "" : ` ${count}`
      const suffix = ` (${note})`.slice(0, MAX_NAME_LENGTH / 2) + number
      free = name.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix
    }
    taken.add(free)
    return { ...planned, name: free }
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

/** Returns the reason to leave out an account that was imported before, because none of its keys is in the source. */
function otherOwner({ note }: ImportedAccount, found: AccountRecord): string {
  return `The account '${found.name}' was imported '${note}', but none of its keys is in this source. If the source is another installation, add --source NAME. Otherwise ${REPLACE_KEYS}.`
}

/** Returns the error message for a source whose accounts were imported before, but none of whose keys exists. */
function noKnownKey(leftOut: readonly LeftOut[]): string {
  const first = leftOut.slice(0, MAX_NAMED).map(({ name }) => `'${name}'`)
  const names = leftOut.length > MAX_NAMED ? [...first, "others"] : first
  return `the accounts ${names.join(", ")} were imported before, but none of these keys. If the source is another installation, add --source NAME. Otherwise ${REPLACE_KEYS}.`
}

function conflict(words: string, cause?: Error): GatewayError {
  return new GatewayError("conflict", `Nothing was imported: ${words}`, { cause })
}
