import { Button, Group, SegmentedControl, Switch } from "@mantine/core"
import { IconKey, IconPlus } from "../../ui/icons.tsx"
import { getRouteApi } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import type { Key, KeyWithSecret } from "tollgate-contract/keys.ts"
import type { MemberKeyRules } from "tollgate-contract/member-keys.ts"
import { isPlaygroundKey } from "../playground/playground-key.ts"
import { useAccount } from "../../account.tsx"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { usePages } from "../../api/use-pages.ts"
import { Confirm } from "../../ui/confirm.tsx"
import { ColumnChoice, useChosenColumns } from "../../ui/column-choice.tsx"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { Search } from "../../ui/search.tsx"
import { readSorting, sortingText } from "../../ui/sorting.ts"
import { ExpiredNotice } from "./expired-notice.tsx"
import { keyColumns } from "./key-columns.tsx"
import { KeyCreator, useMemberNames } from "./key-creator.tsx"
import { KeyDrawer, type KeyWork } from "./key-drawer.tsx"
import { KeyMenu } from "./key-menu.tsx"
import { useKeyTrends } from "./key-trends.ts"
import { OwnSpend } from "./own-spend.tsx"
import { RotateModal } from "./rotate-modal.tsx"
import { SecretModal } from "./secret-modal.tsx"
import { NEWEST_FIRST, sortKeys } from "./sort-keys.ts"
import { useMemberKeyRules } from "./use-member-key-rules.ts"
import { useKeyPause } from "./use-key-pause.tsx"
import { t } from "../../languages/text.ts"

const route = getRouteApi("/signed-in/keys")
const STATUSES: { value: Key["status"] | "all"; label: string }[] = [
  { value: "active", label: t("Active") },
  { value: "expired", label: t("Expired") },
  { value: "revoked", label: t("Revoked") },
  { value: "all", label: t("All") },
]

/** Creates, edits, rotates and revokes the keys of callers. */
export function KeysPage() {
  const { create, search = "" } = route.useSearch()
  const navigate = route.useNavigate()
  const { accountId, may, isAll } = useAccount()
  const [work, setWork] = useState<KeyWork>()
  const [shown, setShown] = useState<KeyWithSecret>()
  const [rotating, setRotating] = useState<Key>()
  const [revoking, setRevoking] = useState<Key>()
  const pause = useKeyPause()
  const rules = useMemberKeyRules(accountId)
  const mayCreate = may("member") && rules?.may_create !== false

  useEffect(() => {
    if (create === undefined) return
    setWork({ kind: "create" })
    void navigate({ search: (before) => ({ ...before, create: undefined }), replace: true })
  }, [create, navigate])

  const newKey = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setWork({ kind: "create" })}>
      {t("Create a key")}
    </Button>
  )
  const members = useMemberNames(accountId)
  const trends = useKeyTrends(accountId)
  const columns = keyColumns({
    isAll,
    trends,
    creator: (key) => <KeyCreator of={key} names={members} />,
    onEdit: (key) => setWork({ kind: "edit", key }),
    menu: (key) => (
      <KeyMenu
        target={key}
        onEdit={() => setWork({ kind: "edit", key })}
        onRotate={() => setRotating(key)}
        onPause={() => pause.toggle(key)}
        onRevoke={() => setRevoking(key)}
      />
    ),
  })
  return (
    <Page title={t("Keys")} description={descriptionOf(rules)} actions={mayCreate && newKey}>
      <ExpiredNotice account={accountId} />
      <KeyList
        account={accountId}
        search={search}
        columns={columns}
        newKey={mayCreate ? newKey : null}
      />
      <KeyDrawer work={work} onClose={() => setWork(undefined)} onCreated={setShown} />
      <SecretModal shown={shown} onClose={() => setShown(undefined)} />
      <RotateModal target={rotating} onClose={() => setRotating(undefined)} onRotated={setShown} />
      {pause.dialog}
      <Confirm
        isOpen={revoking !== undefined}
        title={t("Revoke {name}?", { name: revoking?.name ?? "" })}
        action={t("Revoke the key")}
        onClose={() => setRevoking(undefined)}
        onConfirm={async () => {
          await api("POST /keys/{id}/revoke", { path: { id: revoking?.id ?? "" } })
          notifyDone(t("The key has been revoked."))
          await refresh("/keys")
        }}
      >
        {t("Requests with it are rejected from now on. This cannot be undone.")}
      </Confirm>
    </Page>
  )
}

function descriptionOf(rules: MemberKeyRules | undefined): string {
  return rules?.may_create === false
    ? t("Members of this account may not create keys. Ask an owner for a key.")
    : t("Callers send a key with each request. Each key has its own budgets and limits.")
}

interface KeyListProperties {
  readonly account: string | undefined
  readonly search: string
  readonly columns: ReturnType<typeof keyColumns>
  readonly newKey: React.ReactNode
}

function KeyList({ account, search, columns, newKey }: KeyListProperties) {
  const { status = "active", sort, playground, mine } = route.useSearch()
  const wantedStatus = STATUSES.find(({ value }) => value === status)?.value
  const navigate = route.useNavigate()
  const pages = usePages("GET /keys", {
    query: {
      account,
      status: wantedStatus === "all" ? undefined : wantedStatus,
      mine: mine === undefined ? undefined : "true",
      limit: 200,
    },
  })
  const chosen = useChosenColumns("keys", columns)
  const sorting = pages.hasMore ? NEWEST_FIRST : readSorting(sort, columns, NEWEST_FIRST)
  const wanted = search.toLowerCase()
  const found = pages.items.filter(
    (key) =>
      `${key.name} ${key.id} ${key.hint ?? ""}`.toLowerCase().includes(wanted) &&
      (playground !== undefined || !isPlaygroundKey(key)),
  )
  const isFiltered = wanted !== "" || status !== "active" || mine !== undefined

  function change(part: Partial<ReturnType<typeof route.useSearch>>) {
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true })
  }

  return (
    <>
      <Group justify="space-between" gap="sm">
        <Search
          label={t("Search keys")}
          value={search}
          onChange={(value) => change({ search: value || undefined })}
        />
        <Group gap="xs">
          <KeySwitches mine={mine} playground={playground} onChange={change} />
          <SegmentedControl
            size="xs"
            aria-label={t("Status")}
            data={STATUSES}
            value={status}
            onChange={(value) => change({ status: value })}
          />
          <ColumnChoice all={columns} chosen={chosen} />
        </Group>
      </Group>
      {mine !== undefined && <OwnSpend account={account} />}
      <ErrorNotice
        error={pages.error}
        title={t("The keys could not be loaded")}
        retry={pages.retry}
      />
      {pages.hasContent && (
        <Panel isFlush>
          <DataTable
            label={t("Keys")}
            columns={chosen.columns}
            rows={sortKeys(found, sorting)}
            rowKey={(key) => key.id}
            isLoading={pages.isLoading}
            minWidth={860}
            sorting={sorting}
            {...(!pages.hasMore && { onSort: (next) => change({ sort: sortingText(next) }) })}
            empty={<NoKeys isFiltered={isFiltered} newKey={newKey} />}
          />
          <MoreButton pages={pages} />
        </Panel>
      )}
    </>
  )
}

interface KeySwitchesProperties {
  readonly mine: string | undefined
  readonly playground: string | undefined
  readonly onChange: (change: {
    mine?: string | undefined
    playground?: string | undefined
  }) => void
}

function KeySwitches({ mine, playground, onChange }: KeySwitchesProperties) {
  return (
    <>
      <Switch
        size="xs"
        label={t("Only mine")}
        checked={mine !== undefined}
        onChange={() => onChange({ mine: mine === undefined ? "true" : undefined })}
      />
      <Switch
        size="xs"
        label={t("Show playground keys")}
        checked={playground !== undefined}
        onChange={() => onChange({ playground: playground === undefined ? "shown" : undefined })}
      />
    </>
  )
}

interface NoKeysProperties {
  readonly isFiltered: boolean
  readonly newKey: React.ReactNode
}

function NoKeys({ isFiltered, newKey }: NoKeysProperties) {
  if (isFiltered) {
    return (
      <EmptyState title={t("No matching keys")}>
        {t("Change the search or the status filter.")}
      </EmptyState>
    )
  }
  return (
    <EmptyState icon={<IconKey size={22} />} title={t("No keys yet")} action={newKey}>
      {t("A program sends a key to call models. Create one to get the code for a first request.")}
    </EmptyState>
  )
}
