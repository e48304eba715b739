import { Button, Indicator } from "@mantine/core"
import { IconListDetails, IconPlayerPause, IconPlayerPlay } from "../../ui/icons.tsx"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useEffect, useMemo, useState } from "react"
import { useAccount } from "../../account.tsx"
import { keysQuery } from "../../api/queries.ts"
import { usePages } from "../../api/use-pages.ts"
import { zoneName } from "../../format/moments.ts"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { FilterBar } from "./filter-bar.tsx"
import { requestColumns } from "./request-columns.tsx"
import { RefusedList } from "./refused-list.tsx"
import {
  isFiltered,
  refusedQueryOf,
  type RequestFilters,
  requestQueryOf,
} from "./request-filters.ts"
import { useIsAtTop } from "./use-live.ts"

const route = getRouteApi("/signed-in/requests")
const LOOK_EVERY = 2_000
const PAGE = 50

/** Every request, the newest first, as it happens. */
export function RequestsPage() {
  const { account: _, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const { accountId, accounts, isAll } = useAccount()
  const isAtTop = useIsAtTop()
  const [isPaused, setPaused] = useState(false)
  const [isWell, setWell] = useState(true)
  const isLive = isAtTop && !isPaused
  const names = useMemo(
    () => (isAll ? new Map(accounts.map(({ id, name }) => [id, name])) : undefined),
    [accounts, isAll],
  )
  const Requests = filters.status === "refused" ? RefusedRequests : AdmittedRequests
  return (
    <Page
      title="Requests"
      description={`Each request opens its receipt: what was called, what was used and what it cost. Times are of ${zoneName()}.`}
      actions={
        <LiveButton
          isLive={isLive && isWell}
          isPaused={isPaused}
          onToggle={() => setPaused(!isPaused)}
        />
      }
    >
      <FilterBar
        account={accountId}
        filters={filters}
        onChange={(change) =>
          void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
        }
      />
      <Requests
        account={accountId}
        accounts={names}
        filters={filters}
        refetchInterval={isLive ? LOOK_EVERY : false}
        onState={setWell}
      />
    </Page>
  )
}

interface ListProperties {
  readonly account: string | undefined
  /** Names of accounts by their ids; undefined: all requests are of one. */
  readonly accounts: ReadonlyMap<string, string> | undefined
  readonly filters: RequestFilters
  /** Milliseconds between looks; false: none. */
  readonly refetchInterval: number | false
  /** Called with whether the last look has succeeded. */
  readonly onState: (isWell: boolean) => void
}

/** Requests that held money, each with its receipt. */
function AdmittedRequests(properties: ListProperties) {
  const { account, accounts, filters, refetchInterval, onState } = properties
  const navigate = route.useNavigate()
  const query = useStable(filters, requestQueryOf)
  const columns = useMemo(() => requestColumns(accounts), [accounts])
  const pages = usePages(
    "GET /receipts",
    { query: { ...query, account, limit: PAGE } },
    { refetchInterval },
  )
  const isWell = pages.error === null
  useEffect(() => onState(isWell), [onState, isWell])
  return (
    <>
      <ErrorNotice
        error={pages.error}
        title="The requests could not be loaded"
        retry={pages.retry}
      />
      {pages.hasContent && (
        <Panel isFlush>
          <DataTable
            label="Requests"
            columns={columns}
            rows={pages.items}
            rowKey={(request) => request.id}
            isLoading={pages.isLoading}
            minWidth={860}
            onRowClick={(request) =>
              void navigate({ to: "/requests/$request", params: { request: request.id } })
            }
            empty={<NoRequests isFiltered={isFiltered(filters)} />}
          />
          <MoreButton pages={pages} />
        </Panel>
      )}
    </>
  )
}

/** Requests that were answered with an error. */
function RefusedRequests(properties: ListProperties) {
  const { account, accounts, filters, refetchInterval, onState } = properties
  const query = useStable(filters, refusedQueryOf)
  const keys = useQuery(keysQuery(account))
  const names = useMemo(
    () => new Map(keys.data?.data.map(({ id, name }) => [id, name])),
    [keys.data],
  )
  return (
    <RefusedList
      query={{ ...query, account, limit: PAGE }}
      accounts={accounts}
      keys={names}
      refetchInterval={refetchInterval}
      onState={onState}
    />
  )
}

/** "The last hour" begins when it is chosen: else each look would be another question. */
function useStable<Query>(
  filters: RequestFilters,
  queryOf: (filters: RequestFilters, now: number) => Query,
): Query {
  const text = JSON.stringify(filters)
  return useMemo(() => queryOf(JSON.parse(text) as RequestFilters, Date.now()), [text, queryOf])
}

interface LiveButtonProperties {
  readonly isLive: boolean
  readonly isPaused: boolean
  readonly onToggle: () => void
}

function LiveButton({ isLive, isPaused, onToggle }: LiveButtonProperties) {
  return (
    <Button
      variant="default"
      onClick={onToggle}
      leftSection={isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
      rightSection={
        <Indicator
          color={isLive ? "gate" : "gray"}
          processing={isLive}
          size={8}
          ml={6}
          zIndex={0}
        />
      }
    >
      {isPaused ? "Continue" : "Live"}
    </Button>
  )
}

function NoRequests({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    return <EmptyState title="No matching requests">Change or remove a filter.</EmptyState>
  }
  return (
    <EmptyState
      icon={<IconListDetails size={22} />}
      title="No requests yet"
      action={<LinkButton to="/">Go to the first steps</LinkButton>}
    >
      Call a model with one of your keys. The request appears here within two seconds.
    </EmptyState>
  )
}
