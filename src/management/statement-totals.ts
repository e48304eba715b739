import type { StatementLine } from "../store/entries.ts"
import { formatCredits } from "../ledger/money.ts"
import { csvRow, defused } from "#contract/csv.ts"
import { createHash } from "node:crypto"
import type { Statement } from "./statement-text.ts"
import { momentText } from "./moment-text.ts"

/** The sum of some entries. Charges are negative, as in the ledger. */
interface StatementSum {
  /** The kind of entry, the model, or the name of the key. */
  readonly name: string
  /** The id of the key; empty for others. */
  readonly id: string
  readonly entries: number
  readonly amount: bigint
}

/** The sums of a statement. The opening balance plus the amounts of all kinds is the closing balance. */
interface StatementTotals {
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

const STYLE = `
:root { color-scheme: light; font: 14px/1.5 system-ui, sans-serif; }
body { max-width: 48rem; margin: 0 auto; padding: 2rem 1rem; color: #111; background: #fff; }
h1 { margin: 0; } h2 { margin: 2rem 0 .5rem; font-size: 1.1rem; }
p { margin: .15rem 0; }
table { width: 100%; border-collapse: collapse; break-inside: auto; }
tr { break-inside: avoid; }
th, td { padding: .3rem .5rem; border-bottom: 1px solid #ccc; text-align: left; overflow-wrap: anywhere; }
td:last-child, th:last-child, td.count, th.count { text-align: right; font-variant-numeric: tabular-nums; }
tr.sum td { font-weight: 600; border-bottom: 2px solid #111; }
@page { margin: 18mm; }
`

/** Forbids scripts, and all styles other than those of the page. */
export const STATEMENT_PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

const KIND_NAMES: Readonly<Record<string, string>> = {
  grant: "Grants",
  charge: "Charges",
  adjustment: "Adjustments",
  refund: "Refunds",
  code: "Redeemed codes",
  payment: "Card payments",
  reversal: "Reversed card payments",
  debt: "Debts paid",
}

/** Formats the totals as a page for printing. It contains no scripts and loads nothing. */
export function statementPage({
  statement,
  closing,
  kinds,
  models,
  keys,
}: StatementTotals): string {
  const { account, from, until, opening, debt } = statement
  const days = `${dayText(from)} to ${dayText(until - 1)} (UTC)`
  const balances = [
    sumRow(`Opening balance, ${dayText(from)}`, opening),
    ...kinds.map(
      ({ name, entries, amount }) =>
        `<tr><td>${escaped(KIND_NAMES[name] ?? name)}</td><td class="count">${entries}</td><td>${formatCredits(amount)}</td></tr>`,
    ),
    sumRow(`Closing balance, ${dayText(until - 1)}`, closing),
    ...(debt > 0n ? [sumRow("Debt", debt)] : []),
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Statement of ${escaped(account.name)}, ${days}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Statement</h1>
<p>${escaped(account.name)} (${escaped(account.id)})</p>
<p>${days}. Amounts in credits.</p>
<h2>Balance</h2>
${table(["Entries", "Number", "Credits"], balances)}
${charges("Charges by model", "Model", models)}
${charges("Charges by key", "Key", keys)}
</body>
</html>
`
}

function charges(title: string, of: string, sums: readonly StatementSum[]): string {
  if (sums.length === 0) return ""
  const rows = sums.map(({ name, id, entries, amount }) => {
    const words = name === "" ? id || "unknown" : id === "" ? name : `${name} (${id})`
    return `<tr><td>${escaped(words)}</td><td class="count">${entries}</td><td>${formatCredits(-amount)}</td></tr>`
  })
  return `<h2>${title}</h2>\n${table([of, "Requests", "Charged"], rows)}`
}

function table([name, count, amount]: readonly [string, string, string], rows: readonly string[]) {
  const head = `<tr><th>${name}</th><th class="count">${count}</th><th>${amount}</th></tr>`
  return `<table>\n<thead>${head}</thead>\n<tbody>\n${rows.join("\n")}\n</tbody>\n</table>`
}

function sumRow(name: string, amount: bigint): string {
  return `<tr class="sum"><td>${escaped(name)}</td><td></td><td>${formatCredits(amount)}</td></tr>`
}

function dayText(at: number): string {
  return new Date(at).toISOString().slice(0, "2026-11-30".length)
}

function escaped(text: string): string {
  return Bun.escapeHTML(text)
}
