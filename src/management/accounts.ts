import type {
  Account,
  AccountChange,
  AccountPage,
  AccountQuery,
  AccountTemplate,
  NewAccount,
} from "#contract/accounts.ts"
import { StoreError } from "../store/store-error.ts"
import { type AccountRecord, concernsRequests, FRESH_ACCOUNT } from "../store/accounts.ts"
import { GatewayError } from "../canon/errors.ts"
import { randomText } from "../canon/random-text.ts"
import { parseCredits } from "../ledger/money.ts"
import { type Store } from "../store/store.ts"
import { accountDocument, limitsOf, recordChange } from "./account-document.ts"
import {
  type AccountUses,
  fits,
  isSortedByUse,
  listedDocument,
  pageOfAccounts,
} from "./account-list.ts"
import type { AccountUsage } from "./account-usage.ts"
import { type Actor, maySee, requireOperator, requireRole } from "./actor.ts"
import { requireAccount } from "./stored-accounts.ts"
import type { Audit } from "./audit.ts"

type Templates = Readonly<Record<string, AccountTemplate>>

/** Optional functions of an installation that account management uses. */
export interface AccountContext {
  /** Called after each change that affects requests, before the change returns. */
  readonly changed?: () => Promise<void>
  /** Returns the templates of new accounts, by name. */
  readonly templates?: () => Templates
  /** Absent if the use of accounts is not shown. */
  readonly usage?: Pick<AccountUsage, "of" | "ofAll">
  readonly warn?: (message: string) => void
  /** Whether a price group exists; absent if price groups are unavailable. */
  readonly hasPriceGroup?: (id: string) => Promise<boolean>
}

const NO_USES: AccountUses = new Map()
const NO_USAGE = { of: async () => NO_USES, ofAll: async () => NO_USES }

/** Manages the accounts that pay for requests. Operators create and rename them, and members can see them. */
export class Accounts {
  readonly #store: Store
  readonly #audit: Audit
  readonly #changed: () => Promise<void>
  readonly #templates: () => Templates
  readonly #usage: Pick<AccountUsage, "of" | "ofAll">
  readonly #warn: (message: string) => void
  readonly #hasPriceGroup: (id: string) => Promise<boolean>

  constructor(store: Store, audit: Audit, context: AccountContext = {}) {
    this.#store = store
    this.#audit = audit
    this.#changed = context.changed ?? (async () => {})
    this.#templates = context.templates ?? (() => ({}))
    this.#usage = context.usage ?? NO_USAGE
    this.#warn = context.warn ?? (() => {})
    this.#hasPriceGroup = context.hasPriceGroup ?? (async () => true)
  }

  /** Lists the accounts visible to the caller. @throws GatewayError `invalid_value` for a cursor of another list. */
  async list(actor: Actor, query: AccountQuery): Promise<AccountPage> {
    const now = Date.now()
    const isByUse = isSortedByUse(query)
    const [all, usesOfAll] = await Promise.all([
      this.#store.accounts.list(actor.isOperator ? undefined : [...actor.roles.keys()]),
      isByUse ? this.#usesOfAll(actor, now) : undefined,
    ])
    const ids = query.ids === undefined ? undefined : new Set(query.ids.split(","))
    const found = all.filter(
      (account) =>
        maySee(actor, account.id) && (ids?.has(account.id) ?? true) && fits(account, query),
    )
    const page = pageOfAccounts(found, query, { uses: usesOfAll ?? NO_USES, now })
    const uses = query.usage === "true" ? await this.#usesOf(page.data, now) : usesOfAll
    const data = page.data.map((account) => listedDocument(account, uses, now))
    return { ...page, data, total: found.length }
  }

  #usesOfAll(actor: Actor, now: number): Promise<AccountUses> {
    const { roles } = actor
    return actor.isOperator ? this.#usage.ofAll() : this.#usage.of([...roles.keys()], now)
  }

  /** Returns the use of accounts; undefined if it is unavailable. */
  async #usesOf(accounts: readonly AccountRecord[], now: number): Promise<AccountUses | undefined> {
    try {
      return await this.#usage.of(
        accounts.map(({ id }) => id),
        now,
      )
    } catch (error) {
      this.#warn(`cannot read the use of accounts: ${String(error)}`)
      return undefined
    }
  }

  /**
   * Returns an account.
   * @throws GatewayError `not_found`.
   */
  async find(actor: Actor, id: string): Promise<Account> {
    requireRole(actor, id, "viewer")
    return accountDocument(await requireAccount(this.#store, id))
  }

  /**
   * Creates an account.
   * @throws GatewayError `forbidden`; `conflict` if another account has the name.
   */
  async create(actor: Actor, input: NewAccount): Promise<Account> {
    requireOperator(actor)
    const { credits: begun, ...limits } = this.#template(input.template)
    await this.#checkPriceGroup(limits.price_group)
    const account = {
      id: `acc_${randomText(16)}`,
      name: input.name,
      createdAt: Date.now(),
      limits: limitsOf(limits),
    }
    const fresh = accountDocument({ ...FRESH_ACCOUNT, ...account })
    await this.#rejecting(input.name, () =>
      this.#audit.perform(
        actor,
        { action: "account.create", account: account.id, target: account.id, after: fresh },
        (record) => this.#store.accounts.create(account, record),
      ),
    )
    const credits = input.credits ?? begun
    if (credits !== undefined) await this.#grant(actor, fresh, credits)
    return accountDocument(await requireAccount(this.#store, account.id))
  }

  /**
   * Changes an account.
   * @throws GatewayError `forbidden`, `not_found`; `conflict` if another account has the name.
   */
  async change(actor: Actor, id: string, change: AccountChange): Promise<Account> {
    requireRole(actor, id, "viewer")
    requireOperator(actor)
    const found = await requireAccount(this.#store, id)
    await this.#checkPriceGroup(change.price_group)
    const changed = recordChange(found, change)
    const before = accountDocument(found)
    const after = accountDocument({ ...found, ...changed })
    const record = await this.#rejecting(after.name, () =>
      this.#audit.perform(
        actor,
        { action: "account.change", account: id, target: id, before, after },
        (record) => this.#store.accounts.update(id, changed, record),
      ),
    )
    if (concernsRequests(changed)) await this.#changed()
    return accountDocument(record)
  }

  /**
   * Checks that a price group exists.
   * @throws GatewayError `invalid_value`.
   */
  async #checkPriceGroup(id: string | null | undefined): Promise<void> {
    if (id === undefined || id === null || (await this.#hasPriceGroup(id))) return
    throw new GatewayError("invalid_value", `There is no price group '${id}'.`, {
      parameter: "price_group",
    })
  }

  /**
   * Returns the template with a name.
   * @throws GatewayError `invalid_value`.
   */
  #template(name: string | undefined): AccountTemplate {
    if (name === undefined) return {}
    const templates = this.#templates()
    const template = Object.hasOwn(templates, name) ? templates[name] : undefined
    if (template) return template
    const known = Object.keys(templates)
    const words =
      known.length === 0 ? "No templates are defined." : `Known templates: ${known.join(", ")}.`
    throw new GatewayError(
      "invalid_value",
      `'account_templates' in the settings has no '${name}'. ${words}`,
      { parameter: "template" },
    )
  }

  async #grant(actor: Actor, account: Account, credits: string): Promise<void> {
    const note = "credits to begin with"
    const author = await this.#audit.names.authorOf(actor)
    await this.#audit.perform(
      actor,
      {
        action: "account.entry",
        account: account.id,
        target: account.id,
        after: { kind: "grant", amount: credits, note },
      },
      (record) =>
        this.#store.entries.add(
          {
            account: account.id,
            kind: "grant",
            amount: parseCredits(credits),
            at: Date.now(),
            note,
            author,
          },
          record,
        ),
    )
  }

  async #rejecting<Result>(name: string, step: () => Promise<Result>): Promise<Result> {
    try {
      return await step()
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "exists") throw error
      throw new GatewayError(
        "conflict",
        `Another account is named '${name}' already. Choose another name.`,
        { parameter: "name", cause: error },
      )
    }
  }
}
