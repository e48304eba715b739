import { Button } from "@mantine/core"
import { useState } from "react"
import type { PriceGroup } from "tollgate-contract/price-groups.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { usePages } from "../../api/use-pages.ts"
import { Confirm } from "../../ui/confirm.tsx"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { IconPlus, IconTag } from "../../ui/icons.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { groupColumns } from "./group-columns.tsx"
import { GroupModal } from "./group-modal.tsx"
import { t } from "../../languages/text.ts"

/** Lists the price groups, which give accounts their own prices. */
export function PriceGroupsPage() {
  const groups = usePages("GET /price-groups", {})
  const [isCreating, setCreating] = useState(false)
  const [changing, setChanging] = useState<PriceGroup>()
  const [deleting, setDeleting] = useState<PriceGroup>()
  const createButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t("Create a price group")}
    </Button>
  )

  async function remove() {
    if (deleting === undefined) return
    await api("DELETE /price-groups/{id}", { path: { id: deleting.id } })
    await refresh("/price-groups")
  }

  return (
    <Page
      title={t("Price groups")}
      description={t(
        "Accounts in a group pay a multiple of your prices, or a rate card, from a given time on.",
      )}
      actions={createButton}
    >
      <Panel isFlush>
        <ErrorNotice error={groups.error} retry={groups.retry} />
        <DataTable
          label={t("Price groups")}
          columns={groupColumns({ change: setChanging, remove: setDeleting })}
          rows={groups.items}
          rowKey={(group) => group.id}
          isLoading={groups.isLoading}
          minWidth={520}
          empty={
            groups.error === null && (
              <EmptyState
                icon={<IconTag size={22} />}
                title={t("No price groups yet")}
                action={createButton}
              >
                {t(
                  "Every account pays the same. Create a group for a discount or an agreed rate card, then put accounts into it on their page.",
                )}
              </EmptyState>
            )
          }
        />
        <MoreButton pages={groups} />
      </Panel>
      <GroupModal
        group={changing}
        isOpen={isCreating || changing !== undefined}
        onClose={() => {
          setCreating(false)
          setChanging(undefined)
        }}
      />
      <Confirm
        isOpen={deleting !== undefined}
        title={t("Delete the price group {name}?", { name: deleting?.name ?? deleting?.id ?? "" })}
        action={t("Delete the price group")}
        onConfirm={remove}
        onClose={() => setDeleting(undefined)}
      >
        {t("Past charges do not change.")}
      </Confirm>
    </Page>
  )
}
