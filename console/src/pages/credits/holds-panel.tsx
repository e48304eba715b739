import { Text } from "@mantine/core"
import type { AccountCredits } from "tollgate-contract/accounts.ts"
import type { Column } from "../../ui/data-column.ts"
import { DataTable } from "../../ui/data-table.tsx"
import { Money } from "../../ui/money.tsx"
import { Panel } from "../../ui/panel.tsx"
import { When } from "../../ui/when.tsx"
import { t } from "../../languages/text.ts"

type Hold = AccountCredits["holds"][number]

const COLUMNS: readonly Column<Hold>[] = [
  {
    id: "request",
    header: t("Request"),
    cell: (hold) => (
      <Text size="sm" className="mono anywhere" component="span">
        {hold.request}
      </Text>
    ),
  },
  { id: "since", header: t("Running since"), cell: (hold) => <When at={hold.created_at} /> },
  {
    id: "amount",
    header: t("On hold"),
    isFigure: true,
    cell: (hold) => <Money value={hold.amount} />,
  },
]

/** Shows the maximum cost that each running request holds until it settles. Hidden if no request is running. */
export function HoldsPanel({ holds }: { readonly holds: readonly Hold[] }) {
  if (holds.length === 0) return null
  return (
    <Panel
      title={t("Running now")}
      description={t("The highest possible cost of each request, set aside until it is settled.")}
      isFlush
    >
      <DataTable
        label={t("Running requests")}
        columns={COLUMNS}
        rows={holds}
        rowKey={(hold) => hold.request}
      />
    </Panel>
  )
}
