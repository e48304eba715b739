import { Button } from "@mantine/core"
import { IconBuildingBank, IconPlus } from "../../ui/icons.tsx"
import { useState } from "react"
import type { Account } from "tollgate-contract/accounts.ts"
import { usePages } from "../../api/use-pages.ts"
import { DataTable, type Column } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { Money } from "../../ui/money.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import { NewAccountModal } from "./new-account-modal.tsx"

const COLUMNS: readonly Column<Account>[] = [
  {
    id: "name",
    header: "Account",
    cell: ({ id, name }) => (
      <TextLink to="/accounts/$account" params={{ account: id }} fw={600} className="anywhere">
        {name}
      </TextLink>
    ),
  },
  {
    id: "id",
    header: "Id",
    isWideOnly: true,
    cell: ({ id }) => <span className="mono dim">{id}</span>,
  },
  {
    id: "balance",
    header: "Balance",
    isFigure: true,
    cell: ({ balance }) => <Money value={balance} decimals={4} hasUnit />,
  },
  {
    id: "state",
    header: "State",
    cell: ({ state }) => <Status value={state} />,
  },
  {
    id: "content",
    header: "Prompts and responses",
    cell: ({ stores_content: isStored }) =>
      isStored ? <Status value="kept" color="yellow" /> : <span className="dim">not stored</span>,
  },
  {
    id: "created",
    header: "Created",
    cell: ({ created_at: createdAt }) => <When at={createdAt} />,
  },
]

/** Everyone who pays. */
export function AccountsPage() {
  const accounts = usePages("GET /accounts", {})
  const [isCreating, setCreating] = useState(false)
  const createButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      Create an account
    </Button>
  )
  return (
    <Page
      title="Accounts"
      description="An account pays for requests. Each has its own balance, keys and members."
      actions={createButton}
    >
      <Panel isFlush>
        <ErrorNotice error={accounts.error} retry={accounts.retry} />
        <DataTable
          label="Accounts"
          columns={COLUMNS}
          rows={accounts.items}
          rowKey={(account) => account.id}
          isLoading={accounts.isLoading}
          empty={
            accounts.error === null && (
              <EmptyState
                icon={<IconBuildingBank size={22} />}
                title="No accounts yet"
                action={createButton}
              >
                Create one, grant it credits and create its first key.
              </EmptyState>
            )
          }
        />
        <MoreButton pages={accounts} />
      </Panel>
      <NewAccountModal isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  )
}
