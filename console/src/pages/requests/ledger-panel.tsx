import type { Receipt } from "tollgate-contract/receipts.ts"
import { creditsText, nanos, nanosText } from "../../format/credits.ts"
import { Facts, type Fact } from "../../ui/facts.tsx"
import { Money } from "../../ui/money.tsx"
import { Panel } from "../../ui/panel.tsx"

/** Shows the held and the charged amount, and the ledger entry. */
export function LedgerPanel({ receipt }: { readonly receipt: Receipt }) {
  const { entry } = receipt
  const released = nanos(receipt.hold) - nanos(receipt.charged)
  const facts: Fact[] = [
    { label: "Hold", value: <Money value={receipt.hold} hasUnit /> },
    { label: "Charged", value: <Money value={receipt.charged} hasUnit /> },
    ...receipt.write_offs.map(({ amount, reason }) => ({
      label: "Written off",
      value: `${creditsText(amount)} credits: ${reason.replaceAll("_", " ")}`,
    })),
    ...(receipt.late
      ? [{ label: "Late", value: "settled after its process was presumed dead" }]
      : []),
    ...(released > 0n
      ? [{ label: "Released", value: <Money value={nanosText(released)} hasUnit /> }]
      : []),
    ...(entry === null
      ? [{ label: "Entry", value: "no entry: nothing was charged" }]
      : [
          { label: "Entry", value: `No. ${entry.number}` },
          { label: "Balance afterwards", value: <Money value={entry.balance} hasUnit /> },
          {
            label: "Entry hash",
            value: <span className="mono">{entry.hash}</span>,
            isWide: true,
          },
        ]),
  ]
  return (
    <Panel title="Ledger entry">
      <Facts facts={facts} />
    </Panel>
  )
}
