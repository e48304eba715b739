import type { KeyChange } from "#contract/keys.ts"
import type { MemberKeyRules } from "#contract/member-keys.ts"
import { GatewayError } from "../canon/errors.ts"
import { globIncludes } from "#contract/model-glob.ts"
import { formatCredits, parseCredits } from "../ledger/money.ts"
import type { AccountRecord, MemberKeyRules as RulesRecord } from "../store/accounts.ts"
import type { KeyRecord } from "../store/keys.ts"
import type { Store } from "../store/store.ts"
import { type Actor, requireRole } from "./actor.ts"
import { requireAccount } from "./stored-accounts.ts"
import type { Audit } from "./audit.ts"

/** Manages the rules that owners of an account set for the keys of its members. */
export class MemberKeyManagement {
  readonly #store: Store
  readonly #audit: Audit

  constructor(store: Store, audit: Audit) {
    this.#store = store
    this.#audit = audit
  }

  /** Returns the rules of an account. @throws GatewayError `not_found`. */
  async find(actor: Actor, account: string): Promise<MemberKeyRules> {
    requireRole(actor, account, "viewer")
    return memberKeyRulesOf(await requireAccount(this.#store, account))
  }

  /**
   * Replaces the rules of an account. Existing keys remain as they are.
   * @throws GatewayError `forbidden`, `not_found`.
   */
  async change(actor: Actor, account: string, rules: MemberKeyRules): Promise<MemberKeyRules> {
    requireRole(actor, account, "owner")
    const before = memberKeyRulesOf(await requireAccount(this.#store, account))
    const memberKeys = recordOf(rules)
    const after = documentOf(memberKeys)
    const change = { action: "account.member_keys", account, target: account, before, after }
    await this.#audit.perform(actor, change, (record) =>
      this.#store.accounts.update(account, { memberKeys }, record),
    )
    return after
  }
}

/** Returns the rules for keys of an account's members. */
export function memberKeyRulesOf({ limits }: AccountRecord): MemberKeyRules {
  return documentOf(limits.memberKeys ?? {})
}

function documentOf(rules: RulesRecord): MemberKeyRules {
  return {
    may_create: rules.mayCreate ?? true,
    models: rules.models === undefined ? null : [...rules.models],
    max_budget: creditsOrNull(rules.budget),
    max_daily_budget: creditsOrNull(rules.dailyBudget),
    max_monthly_budget: creditsOrNull(rules.monthlyBudget),
  }
}

function creditsOrNull(amount: string | undefined): string | null {
  return amount === undefined ? null : formatCredits(BigInt(amount))
}

function recordOf(rules: MemberKeyRules): RulesRecord {
  const { may_create, models, max_budget, max_daily_budget, max_monthly_budget } = rules
  return {
    ...(!may_create && { mayCreate: false as const }),
    ...(models !== null && { models }),
    ...(max_budget !== null && { budget: String(parseCredits(max_budget)) }),
    ...(max_daily_budget !== null && { dailyBudget: String(parseCredits(max_daily_budget)) }),
    ...(max_monthly_budget !== null && { monthlyBudget: String(parseCredits(max_monthly_budget)) }),
  }
}

/** The fields of a key that the rules restrict. */
type RestrictedKey = Pick<KeyChange, "models" | "budget" | "daily_budget" | "monthly_budget">
type LimitedKey = Pick<KeyRecord, "models" | "budget" | "dailyBudget" | "monthlyBudget">
type Limits = Omit<MemberKeyRules, "may_create">

/**
 * Checks a key that a member creates.
 * @throws GatewayError `forbidden`; `invalid_value` with the field that exceeds its limit.
 */
export function checkNewMemberKey(rules: MemberKeyRules, key: RestrictedKey): void {
  if (!rules.may_create) {
    throw new GatewayError(
      "forbidden",
      "Members of this account may not create keys. Ask an owner of the account for a key.",
    )
  }
  const { models = null, budget = null, daily_budget = null, monthly_budget = null } = key
  checkLimits(rules, { models, budget, daily_budget, monthly_budget })
}

/**
 * Checks the changed fields of a key. Unchanged fields are not checked, because the key may be older than the rules.
 * Members who may not create keys may only lower the limits of a key.
 * @throws GatewayError `invalid_value` with the field that exceeds its limit.
 */
export function checkMemberKeyChange(
  rules: MemberKeyRules,
  change: RestrictedKey,
  key: LimitedKey,
): void {
  checkLimits(rules, change)
  if (!rules.may_create) checkLimits(limitsOf(key), change)
}

function limitsOf({ models, budget, dailyBudget, monthlyBudget }: LimitedKey): Limits {
  return {
    models: models && [...models],
    max_budget: creditsOrNull(budget?.toString()),
    max_daily_budget: creditsOrNull(dailyBudget?.toString()),
    max_monthly_budget: creditsOrNull(monthlyBudget?.toString()),
  }
}

function checkLimits(rules: Limits, change: RestrictedKey): void {
  checkModels(rules.models, change.models)
  for (const budget of BUDGETS) checkBudget(rules[`max_${budget}`], change[budget], budget)
}

const BUDGETS = ["budget", "daily_budget", "monthly_budget"] as const
const BUDGET_NAMES = {
  budget: "total budget",
  daily_budget: "daily budget",
  monthly_budget: "monthly budget",
} as const

function checkModels(
  allowed: readonly string[] | null,
  wanted: readonly string[] | null | undefined,
): void {
  if (allowed === null || wanted === undefined) return
  const limit = `Members of this account may select only these models for this key: ${allowed.join(", ")}.`
  if (wanted === null) {
    throw rejected(
      "models",
      `${limit} Select some of them, because the key would allow all models.`,
    )
  }
  const other = wanted.find((glob) => !allowed.some((outer) => globIncludes(outer, glob)))
  if (other !== undefined) throw rejected("models", `${limit} Remove '${other}'.`)
}

function checkBudget(
  max: string | null,
  wanted: string | null | undefined,
  budget: (typeof BUDGETS)[number],
): void {
  if (max === null || wanted === undefined) return
  if (wanted !== null && parseCredits(wanted) <= parseCredits(max)) return
  throw rejected(
    budget,
    `Members of this account must give this key a ${BUDGET_NAMES[budget]} of at most ${max} credits. Set '${budget}' to ${max} or less.`,
  )
}

function rejected(parameter: string, message: string): GatewayError {
  return new GatewayError("invalid_value", message, { parameter })
}
