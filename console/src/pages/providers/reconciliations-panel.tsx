import { Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { DifferenceCause, Reconciliation } from "tollgate-contract/reconciliations.ts"
import { oneQuery } from "../../api/queries.ts"
import { relativeText } from "../../format/moments.ts"
import { type Column, DataTable } from "../../ui/data-table.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { Money } from "../../ui/money.tsx"
import { Panel } from "../../ui/panel.tsx"

const CAUSES: Readonly<Record<DifferenceCause, string>> = {
  stale_price: "stale price",
  tier: "service tier",
  factor: "discount, tax or currency",
  abandoned_calls: "abandoned calls",
  other_clients: "other clients of the key",
  not_billed: "not on the bill",
  rounding: "rounding",
  unclear: "unclear",
}

const COLUMNS: Column<Reconciliation>[] = [
  {
    id: "provider",
    header: "Provider",
    cell: ({ provider, at }) => (
      <>
        <Text fw={600} size="sm">
          {provider}
        </Text>
        <Text size="xs" c="dimmed">
          {relativeText(at)}
        </Text>
      </>
    ),
  },
  {
    id: "days",
    header: "Days (UTC)",
    isSecondary: true,
    cell: ({ from, to }) => `${from} until ${to}`,
  },
  { id: "billed", header: "Billed", isFigure: true, cell: (row) => <Money value={row.billed} /> },
  { id: "ledger", header: "Ledger", isFigure: true, cell: (row) => <Money value={row.ledger} /> },
  {
    id: "corrected",
    header: "Corrected before",
    isFigure: true,
    isSecondary: true,
    cell: (row) => <Money value={row.corrected} isSigned />,
  },
  {
    id: "difference",
    header: "Difference",
    isFigure: true,
    cell: (row) => <Money value={row.difference} isSigned />,
  },
  {
    id: "causes",
    header: "Likely causes",
    cell: ({ causes }) => causes.map(({ cause }) => CAUSES[cause]).join(", ") || "–",
  },
  {
    id: "posted",
    header: "Posted",
    isFigure: true,
    cell: ({ posted }) =>
      posted === null ? (
        "–"
      ) : (
        <Money value={posted.amount} isSigned aria-description={posted.reason} />
      ),
  },
]

/** Shows the last comparison with each provider's bill. Hidden before the first comparison. */
export function ReconciliationsPanel() {
  const found = useQuery(oneQuery("GET /reconciliations", {}))
  if (found.error) return <ErrorNotice error={found.error} />
  if (found.data === undefined || found.data.data.length === 0) return null
  return (
    <Panel
      isFlush
      title="Reconciliation"
      description="The last comparison with each provider's bill, by tollgate reconcile."
    >
      <DataTable
        label="Reconciliation"
        columns={COLUMNS}
        rows={found.data.data}
        rowKey={({ provider }) => provider}
      />
    </Panel>
  )
}
