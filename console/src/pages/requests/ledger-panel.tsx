import type { Receipt } from "tollgate-contract/receipts.ts"
import { creditsText, nanos, nanosText } from "../../format/credits.ts"
import { Facts, type Fact } from "../../ui/facts.tsx"
import { Money } from "../../ui/money.tsx"
import { Panel } from "../../ui/panel.tsx"
import { t } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"

/** Shows the held and the charged amount, and the ledger entry. */
export function LedgerPanel({ receipt }: { readonly receipt: Receipt }) {
  const { entry } = receipt
  const released = nanos(receipt.hold) - nanos(receipt.charged)
  const facts: Fact[] = [
    { label: t("Hold"), value: <Money value={receipt.hold} hasUnit /> },
    { label: t("Charged"), value: <Money value={receipt.charged} hasUnit /> },
    ...receipt.write_offs.map(({ amount, reason }) => ({
      label: t("Written off"),
      value: t("{amount} credits: {reason}", { amount: creditsText(amount), reason: word(reason) }),
    })),
    ...(receipt.late
      ? [{ label: t("Late"), value: t("settled after its process was presumed dead") }]
      : []),
    ...(released > 0n
      ? [{ label: t("Released"), value: <Money value={nanosText(released)} hasUnit /> }]
      : []),
    ...(entry === null
      ? [{ label: t("Entry"), value: t("no entry: nothing was charged") }]
      : [
          { label: t("Entry"), value: t("No. {number}", { number: entry.number }) },
          { label: t("Balance afterwards"), value: <Money value={entry.balance} hasUnit /> },
          {
            label: t("Entry hash"),
            value: <span className="mono">{entry.hash}</span>,
            isWide: true,
          },
        ]),
  ]
  return (
    <Panel title={t("Ledger entry")}>
      <Facts facts={facts} />
    </Panel>
  )
}
