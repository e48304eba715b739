import type { Labels } from "../accounting/labels.ts"
import type { Payer } from "../accounting/payer.ts"
import { type AccountLimits, budgetsOfAccount } from "../store/accounts.ts"
import type { KeyRecord } from "../store/keys.ts"
import { Networks } from "../wire/http/networks.ts"
import { globMatcher } from "#contract/model-glob.ts"
import { labelOwners } from "../accounting/label-budgets.ts"
import {
  type BudgetLimits,
  BUDGET_PERIODS,
  budgetOwner,
  limitOf,
  readPeriodOwner,
} from "../accounting/budget-periods.ts"

/** A key with all data that a request needs, prepared for fast access. */
export interface Key {
  readonly id: string
  readonly name: string
  readonly account: string
  /** Returns the payer of a request with optional labels at a moment in Unix milliseconds. */
  readonly payerAt: (now: number, labels?: Labels) => Payer
  readonly requestsPerMinute: number | undefined
  readonly tokensPerMinute: number | undefined
  /** Maximum number of concurrent requests. */
  readonly concurrentRequests: number | undefined
  /** Limits for all keys of the key's account together; undefined without such limits. */
  readonly together: SharedLimits | undefined
  /** The reason for rejecting the key's requests; undefined if the key works. */
  readonly hindrance: Hindrance | undefined
  /** Unix milliseconds; undefined if the key never expires. */
  readonly expiresAt: number | undefined
  readonly revoked: boolean
  /** Whether prompts and responses of the key's account are stored. */
  readonly storesContent: boolean
  /** Allowed client addresses; undefined if all are allowed. */
  readonly addresses: Networks | undefined
  /** Origins of browser pages that may use the key, in addition to those in the settings. */
  readonly origins: readonly string[]
  /** Whether the key may call a model; undefined if it may call all models. */
  readonly allows: ((model: string) => boolean) | undefined
  /** Additional names of models, with the ids of the models. */
  readonly aliases: ReadonlyMap<string, string> | undefined
  /** The price group of the key's account. */
  readonly priceGroup: string | undefined
}

/** Limits for all keys of an account together. */
export interface SharedLimits {
  readonly requestsPerMinute: number | undefined
  readonly tokensPerMinute: number | undefined
  readonly concurrentRequests: number | undefined
}

/** The reasons for rejecting a key: it is paused or read-only, or its account is paused or closed. */
export type Hindrance = "key_paused" | "key_read_only" | "account_paused" | "account_closed"

/** Converts a stored key. */
export function keyFromRecord(record: KeyRecord): Key {
  return {
    id: record.id,
    name: record.name,
    account: record.account,
    payerAt: payersOf(record),
    requestsPerMinute: record.requestsPerMinute ?? undefined,
    tokensPerMinute: record.tokensPerMinute ?? undefined,
    concurrentRequests: record.concurrentRequests ?? undefined,
    together: sharedLimits(record.accountLimits),
    hindrance: hindranceOf(record),
    expiresAt: record.expiresAt ?? undefined,
    revoked: record.revokedAt !== null,
    storesContent: record.storesContent,
    addresses: record.addresses === null ? undefined : new Networks(record.addresses),
    origins: record.origins ?? [],
    allows: allowance(record.models, record.accountLimits.models),
    aliases: record.aliases === null ? undefined : new Map(Object.entries(record.aliases)),
    priceGroup: record.accountLimits.priceGroup,
  }
}

function hindranceOf({ pausedAt, isReadOnly, accountState }: KeyRecord): Hindrance | undefined {
  if (accountState !== "active") return `account_${accountState}`
  if (pausedAt !== null) return "key_paused"
  return isReadOnly ? "key_read_only" : undefined
}

function sharedLimits(limits: AccountLimits): SharedLimits | undefined {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits
  const shared = { requestsPerMinute, tokensPerMinute, concurrentRequests }
  return Object.values(shared).some((limit) => limit !== undefined) ? shared : undefined
}

/** Combines the models that the key allows with those that its account allows. */
function allowance(
  own: readonly string[] | null,
  shared: readonly string[] | undefined,
): Key["allows"] {
  const lists = [own, shared].filter((list) => list !== null && list !== undefined).map(matcher)
  const [first] = lists
  if (first === undefined) return undefined
  return lists.length === 1 ? first : (model) => lists.every((allows) => allows(model))
}

/** Returns a function that matches globs and caches the results. */
function matcher(globs: readonly string[]): (model: string) => boolean {
  const matchers = globs.map(globMatcher)
  const known = new Map<string, boolean>()
  return (model) => {
    const response = known.get(model) ?? matchers.some((fits) => fits(model))
    if (known.size < 1_000) known.set(model, response)
    return response
  }
}

const NO_BUDGETS: readonly string[] = []

/**
 * Returns a function that returns the payer of a key's requests at a moment (Unix milliseconds). Daily and monthly
 * budgets have a different owner in each period. Owners are computed once per period instead of once per request,
 * except the owners of label budgets.
 */
export function payersOf(record: KeyRecord): (now: number, labels?: Labels) => Payer {
  const { labelBudgets } = record.accountLimits
  let payer = payerAt(record, Date.now())
  return (now, labels) => {
    if (now < payer.from || now >= payer.until) payer = payerAt(record, now)
    if (labels === undefined || labelBudgets === undefined) return payer
    return payerWith(payer, labelOwners(record.account, labelBudgets, labels, now))
  }
}

function payerAt(record: KeyRecord, at: number): Payer {
  const owners = [
    ...ownersOf(record.id, record, at),
    ...ownersOf(record.account, budgetsOfAccount(record.accountLimits), at),
  ]
  const unlimited = { budgets: NO_BUDGETS, from: -Infinity, until: Infinity }
  return payerWith({ account: record.account, key: record.id, ...unlimited }, owners)
}

/** Returns a payer with additional budgets. It is valid while the periods of all budgets last. */
function payerWith(payer: Payer, owners: readonly string[]): Payer {
  if (owners.length === 0) return payer
  let { from, until } = payer
  for (const owner of owners) {
    const bounds = readPeriodOwner(owner)
    if (!bounds) continue
    from = Math.max(from, bounds.from)
    until = Math.min(until, bounds.until)
  }
  return { ...payer, budgets: [...payer.budgets, ...owners], from, until }
}

function ownersOf(holder: string, limits: BudgetLimits, at: number): string[] {
  const periods = BUDGET_PERIODS.filter((period) => limitOf(limits, period) !== null)
  return periods.map((period) => budgetOwner(holder, period, at))
}
