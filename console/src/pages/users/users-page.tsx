import { Group } from "@mantine/core"
import { IconUsers } from "../../ui/icons.tsx"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import type { User } from "tollgate-contract/members.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { usePages } from "../../api/use-pages.ts"
import { useSession } from "../../session.tsx"
import { Confirm } from "../../ui/confirm.tsx"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { PersonModal } from "../../ui/person-modal.tsx"
import { Search } from "../../ui/search.tsx"
import { questionOf, type UserTask } from "./user-task.ts"
import { userColumns } from "./user-columns.tsx"
import { t } from "../../languages/text.ts"

const route = getRouteApi("/signed-in/users")

/** Lists all people who can sign in. */
export function UsersPage() {
  const { search = "" } = route.useSearch()
  const navigate = route.useNavigate()
  const { user: self } = useSession()
  const users = usePages("GET /users", { query: { search } })
  const [task, setTask] = useState<UserTask>()
  const [renaming, setRenaming] = useState<User>()
  const question = task === undefined ? undefined : questionOf(task)

  function find(text: string) {
    void navigate({
      search: (before) => ({ ...before, search: text === "" ? undefined : text }),
      replace: true,
    })
  }

  async function change() {
    if (task === undefined || question === undefined) return
    const path = { id: task.user.id }
    if (question.change === null) {
      await api("POST /users/{id}/erase", { path })
      // Refreshes every query that may contain the person's name.
      await refresh("/")
    } else {
      await api("PATCH /users/{id}", { path, body: question.change })
      await refresh("/users")
    }
  }

  return (
    <Page
      title={t("Users")}
      description={t(
        "People who can sign in to this console. New users join by invitation to an account.",
      )}
    >
      <Panel isFlush>
        <Group p="md" pb="xs">
          <Search label={t("Search users")} value={search} onChange={find} />
        </Group>
        <ErrorNotice error={users.error} retry={users.retry} />
        <DataTable
          label={t("Users")}
          columns={userColumns(self?.id, setTask, setRenaming)}
          rows={users.items}
          rowKey={(user) => user.id}
          isLoading={users.isLoading}
          minWidth={700}
          empty={users.error === null && <NoUsers />}
        />
        <MoreButton pages={users} />
      </Panel>
      <Confirm
        isOpen={question !== undefined}
        title={question?.title ?? ""}
        action={question?.action ?? ""}
        isDangerous={question?.isDangerous ?? true}
        onConfirm={change}
        onClose={() => setTask(undefined)}
      >
        {question?.text}
      </Confirm>
      <UserModal user={renaming} onClose={() => setRenaming(undefined)} />
    </Page>
  )
}

function NoUsers() {
  return (
    <EmptyState icon={<IconUsers size={22} />} title={t("No matching users")}>
      {t("Search for part of a name or address.")}
    </EmptyState>
  )
}

interface UserModalProperties {
  readonly user: User | undefined
  readonly onClose: () => void
}

function UserModal({ user, onClose }: UserModalProperties) {
  return (
    <PersonModal
      person={user}
      mayChangeEmail
      onSave={async (body) => {
        await api("PATCH /users/{id}", { path: { id: user?.id ?? "" }, body })
        await refresh("/users", "/session", "/members")
      }}
      onClose={onClose}
    />
  )
}
