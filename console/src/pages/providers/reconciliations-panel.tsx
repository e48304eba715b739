import { Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { DifferenceCause, Reconciliation } from "tollgate-contract/reconciliations.ts"
import { oneQuery } from "../../api/queries.ts"
import { joined } from "../../format/lists.ts"
import { relativeText } from "../../format/moments.ts"
import { type Column, DataTable } from "../../ui/data-table.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { Money } from "../../ui/money.tsx"
import { Panel } from "../../ui/panel.tsx"
import { t } from "../../languages/text.ts"

const CAUSES: Readonly<Record<DifferenceCause, string>> = {
  stale_price: t("stale price"),
  tier: t("service tier"),
  factor: t("discount, tax or currency"),
  abandoned_calls: t("abandoned calls"),
  other_clients: t("other clients of the key"),
  not_billed: t("not on the bill"),
  rounding: t("rounding"),
  unclear: t("unclear"),
}

const COLUMNS: Column<Reconciliation>[] = [
  {
    id: "provider",
    header: t("Provider"),
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
    header: t("Days (UTC)"),
    isSecondary: true,
    cell: ({ from, to }) => t("{from} until {to}", { from, to }),
  },
  {
    id: "billed",
    header: t("Billed"),
    isFigure: true,
    cell: (row) => <Money value={row.billed} />,
  },
  {
    id: "ledger",
    header: t("Ledger"),
    isFigure: true,
    cell: (row) => <Money value={row.ledger} />,
  },
  {
    id: "corrected",
    header: t("Corrected before"),
    isFigure: true,
    isSecondary: true,
    cell: (row) => <Money value={row.corrected} isSigned />,
  },
  {
    id: "difference",
    header: t("Difference"),
    isFigure: true,
    cell: (row) => <Money value={row.difference} isSigned />,
  },
  {
    id: "causes",
    header: t("Likely causes"),
    cell: ({ causes }) => joined(causes.map(({ cause }) => CAUSES[cause])) || "–",
  },
  {
    id: "posted",
    header: t("Adjustment"),
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
      title={t("Reconciliation")}
      description={t("The last comparison with each provider's bill, by tollgate reconcile.")}
    >
      <DataTable
        label={t("Reconciliation")}
        columns={COLUMNS}
        rows={found.data.data}
        rowKey={({ provider }) => provider}
      />
    </Panel>
  )
}
