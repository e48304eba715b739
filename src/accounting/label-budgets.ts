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
 * The budgets of a label such as `user=alice` or `tag=feature=search`, or of every user (`user=*`) or value of a tag
 * (`tag=feature=*`). Names and values are percent-encoded. This is also the stored form: nanocredits are text, because
 * JSON numbers cannot hold them.
 */
export interface LabelBudget {
  readonly label: string
  readonly dailyBudget?: string
  readonly monthlyBudget?: string
}

/** Stands for every user or tag value. */
export const ANY = "*"

/** Returns the label of an end user. */
export function userLabel(user: string): string {
  return `user=${encodeURIComponent(user)}`
}

/** Returns the label of a tag with a value. */
export function tagLabel(name: string, value: string): string {
  return `tag=${encodeURIComponent(name)}=${encodeURIComponent(value)}`
}

/** Parses a label, which is an end user or a tag `name=value`. */
export function readLabel(label: string): { readonly user: string } | { readonly tag: string } {
  const [kind, name = "", value = ""] = label.split("=").map(decodeURIComponent)
  return kind === "tag" ? { tag: `${name}=${value}` } : { user: name }
}

/** Returns the holder of a label's budget: `acc_x#user=alice`. */
export function labelHolder(account: string, label: string): string {
  return `${account}${OF_ACCOUNT}${label}`
}

/** Returns the account and label of a holder; undefined if the holder is a key or an account. */
export function readLabelHolder(
  holder: string,
): { readonly account: string; readonly label: string } | undefined {
  const end = holder.indexOf(OF_ACCOUNT)
  return end === -1 ? undefined : { account: holder.slice(0, end), label: holder.slice(end + 1) }
}

/** Returns bounds in byte order that enclose the names of an account's label holders. */
export function labelHolders(account: string): { readonly after: string; readonly before: string } {
  return { after: `${account}${OF_ACCOUNT}`, before: `${account}$` }
}

/**
 * Returns the first period whose label budgets are kept. Earlier periods ended at least a month before `at`. Their
 * budgets are deleted, because there may be one for each user and day.
 */
export function firstKeptPeriod(at: number): string {
  const date = new Date(at)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, 1))
    .toISOString()
    .slice(0, "2026-11".length)
}

/** Returns the budgets of a label: its own budgets, or the budgets for all labels of its kind. */
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

/** Returns the owners of the budgets that limit a request with these labels in the current periods. */
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

/** Returns the labels of a charge that have budgets, without the account, in the form that its receipt contains. */
export function labelsOfOwners(account: string, owners: readonly string[]): string[] {
  const start = `${account}${OF_ACCOUNT}`
  return owners.filter((owner) => owner.startsWith(start)).map((owner) => owner.slice(start.length))
}

/** The row of a charge with its receipt. */
export interface ChargeRow extends BudgetHolders {
  readonly budgetBits: number
  readonly at: number
  readonly receipt: string
}

/** Returns the owners of all budgets of a charge. */
export function ownersOfCharge({ budgetBits, key, account, at, receipt }: ChargeRow): string[] {
  const owners = ownersOfBits(budgetBits, { key, account }, at)
  if ((budgetBits & LABEL_BIT) === 0) return owners
  const { label_budgets: labels = [] } = JSON.parse(receipt) as { label_budgets?: string[] }
  return [...owners, ...labels.map((label) => labelHolder(account, label))]
}
