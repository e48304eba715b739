import type { Page } from "#contract/common.ts"
import type { LabelBudget, LabelBudgets, LabelSpending } from "#contract/label-budgets.ts"
import { readPeriodOwner } from "../accounting/budget-periods.ts"
import {
  type LabelBudget as LabelBudgetRecord,
  readLabel,
  readLabelHolder,
  tagLabel,
  userLabel,
} from "../accounting/label-budgets.ts"
import { formatCredits, parseCredits } from "../ledger/money.ts"
import type { AccountRecord } from "../store/accounts.ts"
import type { LabelBudgetRecord as SpentRecord } from "../store/keys.ts"
import type { Store } from "../store/store.ts"
import { type Actor, requireRole } from "./actor.ts"
import { requireAccount } from "./stored-accounts.ts"
import type { Audit } from "./audit.ts"
import { pageFrom, type PageQuery, positionOf } from "./cursor.ts"

/** Called after each change, before the change returns. */
type Changed = () => Promise<void>

/** Manages the budgets that owners of an account define for its end users and tags. */
export class LabelBudgetManagement {
  readonly #store: Store
  readonly #audit: Audit
  readonly #changed: Changed

  constructor(store: Store, audit: Audit, changed: Changed = async () => {}) {
    this.#store = store
    this.#audit = audit
    this.#changed = changed
  }

  /**
   * Returns the label budgets of an account.
   * @throws GatewayError `not_found`.
   */
  async find(actor: Actor, account: string): Promise<LabelBudgets> {
    requireRole(actor, account, "viewer")
    return documentOf(await requireAccount(this.#store, account))
  }

  /**
   * Replaces the label budgets of an account.
   * @throws GatewayError `forbidden`, `not_found`.
   */
  async change(actor: Actor, account: string, { budgets }: LabelBudgets): Promise<LabelBudgets> {
    requireRole(actor, account, "owner")
    const before = documentOf(await requireAccount(this.#store, account))
    const labelBudgets = budgets.map(recordOf)
    const after = { budgets: labelBudgets.map(budgetDocument) }
    const change = { action: "account.label_budgets", account, target: account, before, after }
    await this.#audit.perform(actor, change, (record) =>
      this.#store.accounts.update(account, { labelBudgets }, record),
    )
    await this.#changed()
    return after
  }

  /**
   * Lists the spending of labels, sorted by label.
   * @throws GatewayError `not_found`.
   */
  async spent(actor: Actor, account: string, input: PageQuery): Promise<Page<LabelSpending>> {
    requireRole(actor, account, "viewer")
    await requireAccount(this.#store, account)
    const [after = null] = positionOf(input.cursor) ?? []
    const found = await this.#store.keys.listLabelBudgets({
      account,
      at: Date.now(),
      // A cursor of another list is ignored, so that other accounts are never listed.
      after: typeof after === "string" && after.startsWith(`${account}#`) ? after : null,
      limit: input.limit + 1,
    })
    const page = pageFrom(found, input.limit, ({ owner }) => [owner])
    return { ...page, data: page.data.flatMap(spendingDocument) }
  }
}

function documentOf({ limits }: AccountRecord): LabelBudgets {
  return { budgets: (limits.labelBudgets ?? []).map(budgetDocument) }
}

function recordOf(budget: LabelBudget): LabelBudgetRecord {
  const { user, tag, daily_budget: daily, monthly_budget: monthly } = budget
  return {
    label: user === null ? labelOfTag(tag ?? "") : userLabel(user),
    ...(daily !== null && { dailyBudget: String(parseCredits(daily)) }),
    ...(monthly !== null && { monthlyBudget: String(parseCredits(monthly)) }),
  }
}

function labelOfTag(tag: string): string {
  const end = tag.indexOf("=")
  return tagLabel(tag.slice(0, end).trim(), tag.slice(end + 1).trim())
}

/** Converts a label's budget to its representation in the API. */
export function budgetDocument({
  label,
  dailyBudget,
  monthlyBudget,
}: LabelBudgetRecord): LabelBudget {
  return {
    ...labelDocument(label),
    daily_budget: dailyBudget === undefined ? null : formatCredits(BigInt(dailyBudget)),
    monthly_budget: monthlyBudget === undefined ? null : formatCredits(BigInt(monthlyBudget)),
  }
}

/** Converts a label to its representation in the API. */
export function labelDocument(label: string): { user: string | null; tag: string | null } {
  return { user: null, tag: null, ...readLabel(label) }
}

function spendingDocument({ owner, spent, left }: SpentRecord): LabelSpending[] {
  const period = readPeriodOwner(owner)
  const holder = period && readLabelHolder(period.holder)
  if (!holder || period.period === "total") return []
  return [
    {
      ...labelDocument(holder.label),
      period: period.period,
      spent: formatCredits(spent),
      left: formatCredits(left),
      resets_at: new Date(period.until).toISOString(),
    },
  ]
}
