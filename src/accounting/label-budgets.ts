import {
  type BudgetHolders,
  type BudgetLimits,
  BUDGET_PERIODS,
  budgetOwner,
  LABEL_BIT,
  limitOf,
  OF_ACCOUNT,
  ownersOfBits,
} from "./budget-periods.ts"
import type { Labels } from "./labels.ts"

/**
 * What requests with a label may spend: `user=alice`, `tag=feature=search`, or each user and each value of a tag,
 * `user=*`, `tag=feature=*`. Names and values are percent-encoded. Also the form in which it is stored: nanocredits as
 * text, since JSON has no such integers.
 */
export interface LabelBudget {
  readonly label: string
  readonly dailyBudget?: string
  readonly monthlyBudget?: string
}

/** Stands for every value. */
export const ANY = "*"

/** The label of an end user. */
export function userLabel(user: string): string {
  return `user=${encodeURIComponent(user)}`
}

/** The label of a tag with a value. */
export function tagLabel(name: string, value: string): string {
  return `tag=${encodeURIComponent(name)}=${encodeURIComponent(value)}`
}

/** What a label says: an end user, or a tag `name=value`. */
export function readLabel(label: string): { readonly user: string } | { readonly tag: string } {
  const [kind, name = "", value = ""] = label.split("=").map(decodeURIComponent)
  return kind === "tag" ? { tag: `${name}=${value}` } : { user: name }
}

/** Who holds the budget of a label: `acc_x#user=alice`. */
export function labelHolder(account: string, label: string): string {
  return `${account}${OF_ACCOUNT}${label}`
}

/** The account and label of a holder; undefined for keys and accounts. */
export function readLabelHolder(
  holder: string,
): { readonly account: string; readonly label: string } | undefined {
  const end = holder.indexOf(OF_ACCOUNT)
  return end === -1 ? undefined : { account: holder.slice(0, end), label: holder.slice(end + 1) }
}

/** The names of holders between which those of an account's labels are, in the order of their bytes. */
export function labelHolders(account: string): { readonly after: string; readonly before: string } {
  return { after: `${account}${OF_ACCOUNT}`, before: `${account}$` }
}

/**
 * Budgets of labels whose period is called before this are forgotten: it ended at least a month before a moment. There
 * may be one for each day of each user.
 */
export function firstKeptPeriod(at: number): string {
  const date = new Date(at)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, 1))
    .toISOString()
    .slice(0, "2026-11".length)
}

/** What a label may spend: what is said of it, or else of every such label. */
export function limitsOfLabel(budgets: readonly LabelBudget[], label: string): BudgetLimits {
  const found =
    budgets.find((budget) => budget.label === label) ??
    budgets.find((budget) => budget.label === everyLabel(label))
  return {
    budget: null,
    dailyBudget: amountOf(found?.dailyBudget),
    monthlyBudget: amountOf(found?.monthlyBudget),
  }
}

function everyLabel(label: string): string {
  return label.slice(0, label.lastIndexOf("=") + 1) + ANY
}

function amountOf(text: string | undefined): bigint | null {
  return text === undefined ? null : BigInt(text)
}

/** The owners of the budgets that a request with these labels draws on, in the periods of a moment. */
export function labelOwners(
  account: string,
  budgets: readonly LabelBudget[],
  labels: Labels,
  at: number,
): string[] {
  return listed(labels).flatMap((label) => {
    const limits = limitsOfLabel(budgets, label)
    const periods = BUDGET_PERIODS.filter((period) => limitOf(limits, period) !== null)
    return periods.map((period) => budgetOwner(labelHolder(account, label), period, at))
  })
}

function listed({ user, tags = {} }: Labels): string[] {
  return [
    ...(user === undefined ? [] : [userLabel(user)]),
    ...Object.entries(tags).map(([name, value]) => tagLabel(name, value)),
  ]
}

/** The budgets of labels among those of a charge, as its receipt has them: without their account. */
export function labelsOfOwners(account: string, owners: readonly string[]): string[] {
  const start = `${account}${OF_ACCOUNT}`
  return owners.filter((owner) => owner.startsWith(start)).map((owner) => owner.slice(start.length))
}

/** A charge with its receipt. */
export interface ChargeRow extends BudgetHolders {
  readonly budgetBits: number
  readonly at: number
  readonly receipt: string
}

/** The owners of all budgets that a charge drew on. */
export function ownersOfCharge({ budgetBits, key, account, at, receipt }: ChargeRow): string[] {
  const owners = ownersOfBits(budgetBits, { key, account }, at)
  if ((budgetBits & LABEL_BIT) === 0) return owners
  const { label_budgets: labels = [] } = JSON.parse(receipt) as { label_budgets?: string[] }
  return [...owners, ...labels.map((label) => labelHolder(account, label))]
}
