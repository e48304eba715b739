import { ActionIcon, Button, Select, Text, Tooltip } from "@mantine/core"
import { IconUserMinus, IconUserPlus, IconUsers } from "../../ui/icons.tsx"
import { type ReactNode, useState } from "react"
import type { AccountRole } from "tollgate-contract/common.ts"
import type { Member } from "tollgate-contract/members.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { usePages } from "../../api/use-pages.ts"
import { useSession } from "../../session.tsx"
import { Confirm } from "../../ui/confirm.tsx"
import { AccountName } from "../../ui/account-name.tsx"
import { DataTable, type Column } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { notifyDone, notifyError } from "../../ui/notify.tsx"
import { Panel } from "../../ui/panel.tsx"
import { When } from "../../ui/when.tsx"
import { Invitations } from "./invitations.tsx"
import { InviteModal } from "./invite-modal.tsx"
import { ROLES, roleOf } from "./roles.ts"
import { t } from "../../languages/text.ts"

export interface MemberListProperties {
  /** The account; undefined means all accounts that the user may see. */
  readonly account: string | undefined
  readonly mayChange: boolean
  /** Shown below the members once they are loaded, so that it does not move. */
  readonly children?: ReactNode
}

/** Shows the members and the invitations of an account. */
export function MemberList({ account, mayChange, children }: MemberListProperties) {
  const members = usePages("GET /members", { query: { account } })
  const { user } = useSession()
  const [isInviting, setInviting] = useState(false)
  const [leaving, setLeaving] = useState<Member>()
  const invite = mayChange && (
    <Button size="xs" leftSection={<IconUserPlus size={16} />} onClick={() => setInviting(true)}>
      {t("Invite someone")}
    </Button>
  )
  const columns = memberColumns({
    mayChange,
    self: user?.id,
    isAll: account === undefined,
    onRemove: setLeaving,
  })

  async function remove() {
    if (leaving === undefined) return
    await api("DELETE /members/{id}", { path: { id: leaving.id } })
    notifyDone(t("{name} is no longer a member.", { name: leaving.name }))
    await refresh("/members", "/users")
  }

  return (
    <>
      <Panel title={t("Members")} isFlush actions={invite}>
        <ErrorNotice error={members.error} retry={members.retry} />
        <DataTable
          label={t("Members")}
          columns={columns}
          rows={members.items}
          rowKey={(member) => member.id}
          isLoading={members.isLoading}
          empty={
            members.error === null && (
              <EmptyState
                icon={<IconUsers size={22} />}
                title={t("No members yet")}
                action={invite}
              >
                {t("Members sign in to this console. Callers only need a key.")}
              </EmptyState>
            )
          }
        />
        <MoreButton pages={members} />
      </Panel>
      {!members.isLoading && children}
      {mayChange && <Invitations account={account} />}
      <InviteModal account={account} isOpen={isInviting} onClose={() => setInviting(false)} />
      <Confirm
        isOpen={leaving !== undefined}
        title={t("Remove {name}?", { name: leaving?.name ?? "" })}
        action={t("Remove the member")}
        onConfirm={remove}
        onClose={() => setLeaving(undefined)}
      >
        {t(
          "{email} can no longer see or change anything in this account. Keys are not affected: revoke any this person knows.",
          { email: leaving?.email ?? "" },
        )}
      </Confirm>
    </>
  )
}

interface ColumnFacts {
  readonly mayChange: boolean
  /** The current user. */
  readonly self: string | undefined
  /** Whether the members belong to several accounts. */
  readonly isAll: boolean
  readonly onRemove: (member: Member) => void
}

function memberColumns({ mayChange, self, isAll, onRemove }: ColumnFacts): Column<Member>[] {
  const columns: Column<Member>[] = [
    {
      id: "name",
      header: t("Member"),
      cell: ({ name, email, user }) => (
        <div className="anywhere">
          <Text size="sm" fw={600}>
            {name}
            {user === self && <span className="dim"> {t("(you)")}</span>}
          </Text>
          <Text size="xs" c="dimmed">
            {email}
          </Text>
        </div>
      ),
    },
    {
      id: "role",
      header: t("Role"),
      cell: (member) => <Role member={member} mayChange={mayChange} />,
    },
    {
      id: "joined",
      header: t("Since"),
      isSecondary: true,
      cell: ({ joined_at: joinedAt }) => <When at={joinedAt} />,
    },
  ]
  if (isAll) {
    columns.splice(1, 0, { id: "account", header: t("Account"), cell: accountCell })
  }
  if (!mayChange) return columns
  return [
    ...columns,
    {
      id: "actions",
      header: t("Actions"),
      isAction: true,
      cell: (member) => (
        <Tooltip label={t("Remove")}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t("Remove {name}", { name: member.name })}
            onClick={() => onRemove(member)}
          >
            <IconUserMinus size={16} />
          </ActionIcon>
        </Tooltip>
      ),
    },
  ]
}

interface RoleProperties {
  readonly member: Member
  readonly mayChange: boolean
}

function Role({ member, mayChange }: RoleProperties) {
  const [wanted, setWanted] = useState<AccountRole>()
  const label = ROLES.find(({ value }) => value === member.role)?.label ?? member.role
  if (!mayChange) return <Text size="sm">{label}</Text>

  async function change(role: AccountRole) {
    setWanted(role)
    try {
      await api("PATCH /members/{id}", { path: { id: member.id }, body: { role } })
      await refresh("/members", "/users")
    } catch (thrown) {
      notifyError(thrown)
    } finally {
      setWanted(undefined)
    }
  }

  return (
    <Select
      size="xs"
      w={120}
      aria-label={t("Role of {name}", { name: member.name })}
      data={ROLES.map(({ value, label }) => ({ value, label }))}
      value={wanted ?? member.role}
      disabled={wanted !== undefined}
      allowDeselect={false}
      onChange={(role) => void change(roleOf(role))}
    />
  )
}

function accountCell({ account }: Member) {
  return <AccountName id={account} />
}
