import { Button } from "@mantine/core"
import type { Invitation } from "tollgate-contract/members.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { usePages } from "../../api/use-pages.ts"
import { DataTable, type Column } from "../../ui/data-table.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { notifyError } from "../../ui/notify.tsx"
import { Panel } from "../../ui/panel.tsx"
import { When } from "../../ui/when.tsx"
import { known, t } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"

const COLUMNS: readonly Column<Invitation>[] = [
  {
    id: "email",
    header: t("Invited"),
    cell: ({ email }) => <span className="anywhere">{email}</span>,
  },
  { id: "role", header: t("Role"), cell: ({ role }) => word(role) },
  {
    id: "account",
    header: t("Account"),
    isSecondary: true,
    cell: ({ account_name: account }) => account,
  },
  {
    id: "by",
    header: t("Invited by"),
    isWideOnly: true,
    isSecondary: true,
    cell: ({ invited_by: by }) => known(by),
  },
  {
    id: "expires",
    header: t("Expires"),
    cell: ({ expires_at: expiresAt }) => <When at={expiresAt} />,
  },
  {
    id: "actions",
    header: t("Actions"),
    isAction: true,
    cell: (invitation) => (
      <Button
        size="compact-xs"
        variant="subtle"
        color="red"
        aria-label={t("Withdraw the invitation for {email}", { email: invitation.email })}
        onClick={() => void takeBack(invitation)}
      >
        {t("Withdraw")}
      </Button>
    ),
  },
]

async function takeBack(invitation: Invitation): Promise<void> {
  try {
    await api("DELETE /members/invitations/{id}", { path: { id: invitation.id } })
    await refresh("/members/invitations")
  } catch (thrown) {
    notifyError(thrown)
  }
}

/** Lists pending invitations. Renders nothing if there are no invitations. */
export function Invitations({ account }: { readonly account: string | undefined }) {
  const invitations = usePages("GET /members/invitations", { query: { account } })
  if (invitations.error !== null) {
    return <ErrorNotice error={invitations.error} retry={invitations.retry} />
  }
  if (invitations.items.length === 0) return null
  return (
    <Panel title={t("Pending invitations")} isFlush>
      <DataTable
        label={t("Pending invitations")}
        columns={COLUMNS}
        rows={invitations.items}
        rowKey={(invitation) => invitation.id}
      />
      <MoreButton pages={invitations} />
    </Panel>
  )
}
