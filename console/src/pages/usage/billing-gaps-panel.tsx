import { useQuery } from "@tanstack/react-query"
import type { BillingGaps } from "tollgate-contract/billing-gaps.ts"
import { oneQuery } from "../../api/queries.ts"
import { countText } from "../../format/numbers.ts"
import { type Column, DataTable } from "../../ui/data-table.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { Money } from "../../ui/money.tsx"
import { Panel } from "../../ui/panel.tsx"
import type { UsageSpan } from "./usage-filters.ts"
import { t } from "../../languages/text.ts"

const KINDS = [
  ["estimated", t("Estimated charges")],
  ["unpriced", t("Features without a price")],
  ["written_off", t("Written off")],
  ["uncharged", t("Uncharged provider cost")],
] as const

interface GapRow {
  readonly kind: string
  readonly name: string
  readonly requests: number
  readonly amount: string
}

const COLUMNS: Column<GapRow>[] = [
  { id: "kind", header: t("Kind"), cell: ({ kind }) => kind },
  { id: "name", header: t("Name"), cell: ({ name }) => <span className="anywhere">{name}</span> },
  { id: "requests", header: t("Requests"), isFigure: true, cell: (row) => countText(row.requests) },
  {
    id: "amount",
    header: t("Amount"),
    isFigure: true,
    cell: (row) => <Money value={row.amount} />,
  },
]

interface BillingGapsProperties {
  readonly account: string | undefined
  readonly span: UsageSpan
}

/**
 * Shows possible differences between charges and provider bills, for operators. Hidden if the endpoint does not exist.
 */
export function BillingGapsPanel({ account, span }: BillingGapsProperties) {
  const { from, to } = span
  const query = { ...(account !== undefined && { account }), from, to }
  const found = useQuery(oneQuery("GET /billing-gaps", { query }))
  if (found.error) return <ErrorNotice error={found.error} />
  if (found.data === undefined) return null
  const rows = rowsOf(found.data)
  if (rows.length === 0) return null
  return (
    <Panel
      isFlush
      title={t("Billing gaps")}
      description={
        found.data.counted_to === null
          ? t("Possible differences between charges and provider bills.")
          : t("Of the first {receipts} requests only. Choose a shorter time range.", {
              receipts: countText(found.data.receipts),
            })
      }
    >
      <DataTable
        label={t("Billing gaps")}
        columns={COLUMNS}
        rows={rows}
        rowKey={({ kind, name }) => `${kind} ${name}`}
      />
    </Panel>
  )
}

function rowsOf(gaps: BillingGaps): GapRow[] {
  return KINDS.flatMap(([key, kind]) => gaps[key].rows.map((row) => ({ kind, ...row })))
}
