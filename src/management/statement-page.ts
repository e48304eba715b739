import { createHash } from "node:crypto"
import { formatCredits } from "../ledger/money.ts"
import type { StatementSum, StatementTotals } from "./statement-totals.ts"

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
