import { formatCredits } from "../../ledger/money.ts"
import { type Column, formatTable, type Style } from "../output.ts"
import type { Difference, Fate, ImportPlan } from "./plan.ts"

const FATES: readonly (readonly [Fate, string])[] = [
  ["carried", "CARRIED OVER"],
  ["changed", "CHANGED"],
  ["left out", "LEFT OUT"],
  ["to decide", "FOR YOU TO DECIDE"],
]

const COLUMNS: readonly Column<Difference>[] = [
  { title: "WHAT", cell: ({ subject }) => subject },
  { title: "HOW", cell: ({ words }) => words },
]

/** Returns the page that lists the differences. It contains no secret. */
export function pageOf(
  { accounts, differences }: Pick<ImportPlan, "accounts" | "differences">,
  style: Style,
): string {
  const parts = FATES.flatMap(([fate, title]) => {
    const rows = differences.list.filter((difference) => difference.fate === fate)
    return rows.length === 0 ? [] : [`${style.strong(title)}\n${formatTable(COLUMNS, rows, style)}`]
  })
  const keys = accounts.reduce((sum, { keys: own }) => sum + own.length, 0)
  const credits = accounts.reduce((sum, account) => sum + account.credits, 0n)
  const sums = `${counted(accounts.length, "account")}, ${counted(keys, "key")}, ${counted(formatCredits(credits), "credit")}`
  return [...parts, sums].join("\n\n")
}

/** Returns a number with its noun in the singular or plural. */
export function counted(count: number | string, noun: string): string {
  return `${count} ${noun}${String(count) === "1" ? "" : "s"}`
}
