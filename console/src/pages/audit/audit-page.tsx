import "./audit.css"
import { IconHistory } from "../../ui/icons.tsx"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import type { AuditRecord } from "tollgate-contract/operations.ts"
import { useAccount } from "../../account.tsx"
import { usePages } from "../../api/use-pages.ts"
import { fromLocalField } from "../../format/moments.ts"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { auditColumns } from "./audit-columns.tsx"
import { AuditFilters } from "./audit-filters.tsx"
import { RecordDrawer } from "./record-drawer.tsx"
import { t } from "../../languages/text.ts"

const route = getRouteApi("/signed-in/audit")

/** Shows who made each change, when, and from which address. For owners and operators. */
export function AuditPage() {
  return (
    <Page
      title={t("Audit")}
      description={t("Every change, in a hash chain that reveals edits and gaps.")}
    >
      <AuditList />
    </Page>
  )
}

function AuditList() {
  const { accountId, isAll } = useAccount()
  const { account: _, from, to, ...texts } = route.useSearch()
  const records = usePages("GET /audit", {
    query: {
      ...texts,
      account: accountId,
      from: fromLocalField(from ?? ""),
      to: fromLocalField(to ?? ""),
    },
  })
  const [open, setOpen] = useState<AuditRecord>()
  return (
    <Panel isFlush>
      <AuditFilters />
      <ErrorNotice error={records.error} retry={records.retry} />
      <DataTable
        label={t("Changes")}
        columns={auditColumns(isAll, setOpen)}
        rows={records.items}
        rowKey={(record) => record.number}
        isLoading={records.isLoading}
        onRowClick={setOpen}
        minWidth={820}
        empty={
          records.error === null && (
            <EmptyState icon={<IconHistory size={22} />} title={t("No matching changes")}>
              {t("Changes appear here as they are made. Remove a filter to see more.")}
            </EmptyState>
          )
        }
      />
      <MoreButton pages={records} />
      <RecordDrawer record={open} onClose={() => setOpen(undefined)} />
    </Panel>
  )
}
