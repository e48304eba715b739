import type { Key } from "tollgate-contract/keys.ts"
import { usePages } from "../../api/use-pages.ts"
import { DataTable, type Column } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { Money } from "../../ui/money.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { Panel } from "../../ui/panel.tsx"
import { When } from "../../ui/when.tsx"
import { KeyStatus } from "../keys/key-status.tsx"
import { t } from "../../languages/text.ts"

const COLUMNS: readonly Column<Key>[] = [
  {
    id: "name",
    header: t("Key"),
    cell: ({ name, hint }) => (
      <span className="anywhere">
        {name} {hint !== null && <span className="mono dim figures">…{hint}</span>}
      </span>
    ),
  },
  { id: "status", header: t("Status"), cell: (key) => <KeyStatus of={key} /> },
  {
    id: "spent",
    header: t("Spent"),
    isFigure: true,
    cell: ({ spent }) => <Money value={spent} decimals={4} />,
  },
  {
    id: "used",
    header: t("Last used"),
    cell: ({ last_used_at: usedAt }) => <When at={usedAt} none={t("never")} />,
  },
]

/** Lists the keys of an account. Keys are edited on the Keys page. */
export function AccountKeys({ account }: { readonly account: string }) {
  const keys = usePages("GET /keys", { query: { account } })
  const open = (
    <LinkButton to="/keys" search={{ account }} variant="default" size="xs">
      {t("Open the keys")}
    </LinkButton>
  )
  return (
    <Panel title={t("Keys")} isFlush actions={open}>
      <ErrorNotice error={keys.error} retry={keys.retry} />
      <DataTable
        label={t("Account keys")}
        columns={COLUMNS}
        rows={keys.items}
        rowKey={(key) => key.id}
        isLoading={keys.isLoading}
        reservedRows={2}
        minWidth={520}
        empty={
          keys.error === null && (
            <EmptyState
              title={t("No keys yet")}
              action={
                <LinkButton to="/keys" search={{ account, create: "1" }}>
                  {t("Create a key")}
                </LinkButton>
              }
            >
              {t("Nothing can call models through this account.")}
            </EmptyState>
          )
        }
      />
      <MoreButton pages={keys} />
    </Panel>
  )
}
