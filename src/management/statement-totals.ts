import type { StatementLine } from "../store/entries.ts"
import { formatCredits } from "../ledger/money.ts"
import { csvRow, defused } from "#contract/csv.ts"
import type { Statement } from "./statement-text.ts"
import { momentText } from "./moment-text.ts"

/** The sum of some entries. Charges are negative, as in the ledger. */
export interface StatementSum {
  /** The kind of entry, the model, or the name of the key. */
  readonly name: string
  /** The id of the key; empty for others. */
  readonly id: string
  readonly entries: number
  readonly amount: bigint
}

/** The sums of a statement. The opening balance plus the amounts of all kinds is the closing balance. */
export interface StatementTotals {
  readonly statement: Statement
  readonly closing: bigint
  readonly kinds: readonly StatementSum[]
  /** The charges by model, the highest first. */
  readonly models: readonly StatementSum[]
  readonly keys: readonly StatementSum[]
}

/**
 * Adds up the entries of a statement.
 * @param keyNames names of the account's keys by id.
 */
export async function statementTotals(
  statement: Statement,
  keyNames: ReadonlyMap<string, string>,
): Promise<StatementTotals> {
  const [kinds, models, keys] = [new Sums(), new Sums(), new Sums()]
  let closing = statement.opening
  for await (const line of statement.entries) {
    closing += line.amount
    kinds.add(line.kind, line)
    if (line.kind !== "charge") continue
    models.add(line.model ?? "", line)
    keys.add(line.key ?? "", line)
  }
  return {
    statement,
    closing,
    kinds: kinds.list(),
    models: models.list(),
    keys: keys.list().map((sum) => ({ ...sum, id: sum.name, name: keyNames.get(sum.name) ?? "" })),
  }
}

class Sums {
  readonly #sums = new Map<string, { entries: number; amount: bigint }>()

  add(name: string, { amount }: StatementLine): void {
    const before = this.#sums.get(name)
    this.#sums.set(name, {
      entries: (before?.entries ?? 0) + 1,
      amount: (before?.amount ?? 0n) + amount,
    })
  }

  /** Returns the sums, the lowest amount first. Charges are negative, so the highest charge is first. */
  list(): StatementSum[] {
    return [...this.#sums]
      .map(([name, sum]) => ({ name, id: "", ...sum }))
      .toSorted((left, right) =>
        left.amount === right.amount
          ? left.name.localeCompare(right.name, "en")
          : left.amount < right.amount
            ? -1
            : 1,
      )
  }
}

/** Formats the totals as CSV (RFC 4180): the balances, and the sums by kind of entry, by model and by key. */
export function csvTotals({ statement, closing, kinds, models, keys }: StatementTotals): string {
  const { opening, debt } = statement
  return [
    "part,name,id,entries,amount\r\n",
    balanceRow("opening balance", opening),
    ...sumRows("kind", kinds),
    balanceRow("closing balance", closing),
    ...(debt > 0n ? [balanceRow("closing debt", debt)] : []),
    ...sumRows("model", models),
    ...sumRows("key", keys),
  ].join("")
}

function balanceRow(name: string, amount: bigint): string {
  return csvRow(["balance", name, "", "", formatCredits(amount)])
}

function sumRows(part: string, sums: readonly StatementSum[]): string[] {
  return sums.map(({ name, id, entries, amount }) =>
    csvRow([part, defused(name), id, String(entries), formatCredits(amount)]),
  )
}

/** Formats the totals as a JSON document. */
export function jsonTotals({ statement, closing, kinds, models, keys }: StatementTotals): string {
  const { account, from, until, opening, debt } = statement
  const document = {
    account,
    from: momentText(from),
    until: momentText(until),
    opening_balance: formatCredits(opening),
    closing_balance: formatCredits(closing),
    closing_debt: formatCredits(debt),
    kinds: sumDocuments(kinds),
    models: sumDocuments(models),
    keys: sumDocuments(keys),
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

function sumDocuments(sums: readonly StatementSum[]) {
  return sums.map(({ name, id, entries, amount }) => ({
    name,
    ...(id !== "" && { id }),
    entries,
    amount: formatCredits(amount),
  }))
}
