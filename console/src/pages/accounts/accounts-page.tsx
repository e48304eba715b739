import { Button, Select } from "@mantine/core"
import { IconBuildingBank, IconPlus } from "../../ui/icons.tsx"
import { getRouteApi } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import type { Account, AccountQuery } from "tollgate-contract/accounts.ts"
import { usePages } from "../../api/use-pages.ts"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { Search } from "../../ui/search.tsx"
import { readSorting, sortingText } from "../../ui/sorting.ts"
import { StatementModal } from "../credits/statement-modal.tsx"
import { ACCOUNT_COLUMNS, sortOf } from "./account-columns.tsx"
import { usePriceGroups } from "./use-price-groups.ts"
import { NewAccountModal } from "./new-account-modal.tsx"
import { t } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"

const route = getRouteApi("/signed-in/accounts")
const STATES: readonly Account["state"][] = ["active", "paused", "closed"]

export function AccountsPage() {
  const [isCreating, setCreating] = useState(false)
  const [isDownloading, setDownloading] = useState(false)
  const createButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t("Create an account")}
    </Button>
  )
  return (
    <Page
      title={t("Accounts")}
      description={t("An account pays for requests. Each has its own balance, keys and members.")}
      actions={
        <>
          <Button variant="default" onClick={() => setDownloading(true)}>
            {t("Statements")}
          </Button>
          {createButton}
        </>
      }
    >
      <AccountList createButton={createButton} />
      <StatementModal
        account={undefined}
        isOpen={isDownloading}
        onClose={() => setDownloading(false)}
      />
      <NewAccountModal isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  )
}

function AccountList({ createButton }: { readonly createButton: ReactNode }) {
  const address = route.useSearch()
  const navigate = route.useNavigate()
  const sorting = readSorting(address.sort, ACCOUNT_COLUMNS, { by: "name", order: "asc" })
  const filters = filtersOf(address)
  const accounts = usePages("GET /accounts", {
    query: { ...filters, sort: sortOf(sorting.by), order: sorting.order, usage: "true" },
  })
  const isFiltered = Object.values(filters).some((value) => value !== undefined)

  function change(part: Partial<typeof address>) {
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true })
  }

  return (
    <Panel isFlush>
      <div className="filters panel-filters">
        <Search
          label={t("Search accounts")}
          value={address.search ?? ""}
          onChange={(search) => change({ search: search || undefined })}
        />
        <Select
          aria-label={t("State")}
          placeholder={t("Any state")}
          clearable
          data={STATES.map((state) => ({ value: state, label: word(state) }))}
          value={filters.state ?? null}
          onChange={(state) => change({ state: state ?? undefined })}
        />
        <Select
          aria-label={t("Credits")}
          placeholder={t("Any balance")}
          clearable
          data={[{ value: "none", label: t("Without credits") }]}
          value={filters.credits ?? null}
          onChange={(credits) => change({ credits: credits ?? undefined })}
        />
        <PriceGroupFilter
          value={filters.price_group ?? null}
          onChange={(group) => change({ price_group: group ?? undefined })}
        />
        <span className="dim filters-wide" role="status">
          {accounts.total !== undefined &&
            t("{total, plural, one {# account} other {# accounts}}", { total: accounts.total })}
        </span>
      </div>
      <ErrorNotice error={accounts.error} retry={accounts.retry} />
      <DataTable
        label={t("Accounts")}
        columns={ACCOUNT_COLUMNS}
        rows={accounts.items}
        rowKey={(account) => account.id}
        isLoading={accounts.isLoading}
        minWidth={860}
        sorting={sorting}
        onSort={(next) => change({ sort: sortingText(next) })}
        empty={
          accounts.error === null && (
            <NoAccounts isFiltered={isFiltered} createButton={createButton} />
          )
        }
      />
      <MoreButton pages={accounts} />
    </Panel>
  )
}

type Filters = Pick<AccountQuery, "search" | "state" | "credits" | "price_group">

function filtersOf({
  search,
  state,
  credits,
  price_group,
}: {
  readonly [Name in keyof Filters]?: string | undefined
}): Filters {
  return {
    search,
    state: STATES.find((each) => each === state),
    credits: credits === "none" ? credits : undefined,
    price_group,
  }
}

interface PriceGroupFilterProperties {
  readonly value: string | null
  readonly onChange: (group: string | null) => void
}

/** Renders nothing if there are no price groups. */
function PriceGroupFilter({ value, onChange }: PriceGroupFilterProperties) {
  const { choices } = usePriceGroups(value)
  if (choices.length === 0) return null
  return (
    <Select
      aria-label={t("Price group")}
      placeholder={t("Any price group")}
      clearable
      data={[...choices]}
      value={value}
      onChange={onChange}
    />
  )
}

function NoAccounts({
  isFiltered,
  createButton,
}: {
  readonly isFiltered: boolean
  readonly createButton: ReactNode
}) {
  if (isFiltered) {
    return (
      <EmptyState icon={<IconBuildingBank size={22} />} title={t("No matching accounts")}>
        {t("Remove a filter or search for something else.")}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={<IconBuildingBank size={22} />}
      title={t("No accounts yet")}
      action={createButton}
    >
      {t("Create one, grant it credits and create its first key.")}
    </EmptyState>
  )
}
