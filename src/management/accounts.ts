import type {
  Account,
  AccountChange,
  AccountTemplate,
  NewAccount,
} from "tollgate-contract/accounts.ts"
import type { Page } from "tollgate-contract/common.ts"
import { StoreError } from "../store/store-error.ts"
import {
  type AccountChange as RecordChange,
  type AccountLimits,
  type AccountRecord,
  budgetsOfAccount,
  concernsRequests,
  FRESH_ACCOUNT,
} from "../store/accounts.ts"
import { GatewayError } from "../canon/errors.ts"
import { randomText } from "../canon/random-text.ts"
import { formatCredits, parseCredits } from "../ledger/money.ts"
import { type Store } from "../store/store.ts"
import { type Actor, maySee, requireOperator, requireRole } from "./actor.ts"
import type { Audit } from "./audit.ts"
import { pageFrom, type PageQuery, timePositionOf } from "./cursor.ts"

type Templates = Readonly<Record<string, AccountTemplate>>

/** What an installation has besides the ledger. */
export interface AccountContext {
  /** Called for every change that concerns requests, before it is answered. */
  readonly changed?: () => Promise<void>
  /** What new accounts begin with, by name. */
  readonly templates?: () => Templates
}

/** Accounts, which pay for requests: created and renamed by operators, visible to their members. */
export class Accounts {
  readonly #store: Store
  readonly #audit: Audit
  readonly #changed: () => Promise<void>
  readonly #templates: () => Templates

  constructor(store: Store, audit: Audit, context: AccountContext = {}) {
    this.#store = store
    this.#audit = audit
    this.#changed = context.changed ?? (async () => {})
    this.#templates = context.templates ?? (() => ({}))
  }

  /** All that they may see, the oldest first. */
  async list(actor: Actor, input: PageQuery): Promise<Page<Account>> {
    const { at, id } = timePositionOf(input.cursor) ?? { at: -Infinity, id: "" }
    const all = await this.#store.accounts.list()
    const found = all
      .filter((account) => maySee(actor, account.id))
      .filter((account) => isAfter(account, at, id))
      .slice(0, input.limit + 1)
    const { data, next_cursor } = pageFrom(found, input.limit, (account) => [
      account.createdAt,
      account.id,
    ])
    return { object: "list", data: data.map(accountDocument), next_cursor }
  }

  /** @throws GatewayError `not_found`. */
  async find(actor: Actor, id: string): Promise<Account> {
    requireRole(actor, id, "viewer")
    return accountDocument(await this.#require(id))
  }

  /** @throws GatewayError `forbidden`; `conflict` when another account has the name. */
  async create(actor: Actor, input: NewAccount): Promise<Account> {
    requireOperator(actor)
    const { credits: begun, ...limits } = this.#template(input.template)
    const account = {
      id: `acc_${randomText(16)}`,
      name: input.name,
      createdAt: Date.now(),
      limits: limitsOf(limits),
    }
    const fresh = accountDocument({ ...FRESH_ACCOUNT, ...account })
    await this.#refusing(input.name, () =>
      this.#audit.perform(
        actor,
        { action: "account.create", account: account.id, target: account.id, after: fresh },
        (record) => this.#store.accounts.create(account, record),
      ),
    )
    const credits = input.credits ?? begun
    if (credits !== undefined) await this.#grant(actor, fresh, credits)
    return accountDocument(await this.#require(account.id))
  }

  /** @throws GatewayError `forbidden`, `not_found`; `conflict` when another account has the name. */
  async change(actor: Actor, id: string, change: AccountChange): Promise<Account> {
    requireRole(actor, id, "viewer")
    requireOperator(actor)
    const found = await this.#require(id)
    const changed = recordChange(found, change)
    const before = accountDocument(found)
    const after = accountDocument({ ...found, ...changed })
    const record = await this.#refusing(after.name, () =>
      this.#audit.perform(
        actor,
        { action: "account.change", account: id, target: id, before, after },
        (record) => this.#store.accounts.update(id, changed, record),
      ),
    )
    if (concernsRequests(changed)) await this.#changed()
    return accountDocument(record)
  }

  /** @throws GatewayError `invalid_value`. */
  #template(name: string | undefined): AccountTemplate {
    if (name === undefined) return {}
    const templates = this.#templates()
    const template = Object.hasOwn(templates, name) ? templates[name] : undefined
    if (template) return template
    const known = Object.keys(templates)
    const words = known.length === 0 ? "There is none." : `There are ${known.join(", ")}.`
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

  async #require(id: string): Promise<AccountRecord> {
    const account = await this.#store.accounts.find(id)
    // It is also found by its name, which is not an id.
    if (account?.id === id) return account
    throw new GatewayError("not_found", `There is no account '${id.slice(0, 100)}'.`)
  }

  async #refusing<Result>(name: string, step: () => Promise<Result>): Promise<Result> {
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

function isAfter(account: AccountRecord, createdAt: number, id: string): boolean {
  if (account.createdAt !== createdAt) return account.createdAt > createdAt
  return account.id > id
}

/** An account as the API shows it. */
export function accountDocument(account: AccountRecord): Account {
  return {
    id: account.id,
    name: account.name,
    created_at: new Date(account.createdAt).toISOString(),
    balance: formatCredits(account.balance),
    debt: formatCredits(account.debt),
    stores_content: account.storesContent,
    state: account.state,
    ...limitsDocument(account.limits),
    daily_budget_left: creditsOrNull(account.dailyLeft),
    monthly_budget_left: creditsOrNull(account.monthlyLeft),
  }
}

function creditsOrNull(amount: bigint | null): string | null {
  return amount === null ? null : formatCredits(amount)
}

/** The limits of an account as the API shows them. */
export function limitsDocument(limits: AccountLimits) {
  const { dailyBudget, monthlyBudget } = budgetsOfAccount(limits)
  return {
    models: limits.models === undefined ? null : [...limits.models],
    requests_per_minute: limits.requestsPerMinute ?? null,
    tokens_per_minute: limits.tokensPerMinute ?? null,
    concurrent_requests: limits.concurrentRequests ?? null,
    max_keys: limits.keys ?? null,
    max_invitations: limits.invitations ?? null,
    max_hourly_pace: limits.pace ?? null,
    daily_budget: creditsOrNull(dailyBudget),
    monthly_budget: creditsOrNull(monthlyBudget),
  }
}

/** The members that were given, in the store's form. */
function recordChange({ limits }: AccountRecord, change: AccountChange): RecordChange {
  const { name, stores_content, state, ...wanted } = change
  return {
    ...(name !== undefined && { name }),
    ...(stores_content !== undefined && { storesContent: stores_content }),
    ...(state !== undefined && { state }),
    ...(Object.keys(wanted).length > 0 && {
      limits: limitsOf({ ...limitsDocument(limits), ...wanted }),
    }),
  }
}

function limitsOf(wanted: Omit<AccountChange, "name" | "stores_content" | "state">): AccountLimits {
  const { models, requests_per_minute, tokens_per_minute, concurrent_requests, max_keys } = wanted
  const { max_invitations, max_hourly_pace, daily_budget, monthly_budget } = wanted
  return {
    ...(isSet(models) && { models }),
    ...(isSet(requests_per_minute) && { requestsPerMinute: requests_per_minute }),
    ...(isSet(tokens_per_minute) && { tokensPerMinute: tokens_per_minute }),
    ...(isSet(concurrent_requests) && { concurrentRequests: concurrent_requests }),
    ...(isSet(max_keys) && { keys: max_keys }),
    ...(isSet(max_invitations) && { invitations: max_invitations }),
    ...(isSet(max_hourly_pace) && { pace: max_hourly_pace }),
    ...(isSet(daily_budget) && { dailyBudget: String(parseCredits(daily_budget)) }),
    ...(isSet(monthly_budget) && { monthlyBudget: String(parseCredits(monthly_budget)) }),
  }
}

function isSet<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined
}
