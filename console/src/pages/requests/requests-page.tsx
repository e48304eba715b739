import { Button, Indicator } from "@mantine/core"
import { IconListDetails, IconPlayerPause, IconPlayerPlay } from "../../ui/icons.tsx"
import { getRouteApi } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { useAccount } from "../../account.tsx"
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
import { isFiltered, requestQueryOf } from "./request-filters.ts"
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
  const query = useStableQuery(filters)
  const isLive = isAtTop && !isPaused
  const columns = useMemo(
    () => requestColumns(isAll ? new Map(accounts.map(({ id, name }) => [id, name])) : undefined),
    [accounts, isAll],
  )
  const pages = usePages(
    "GET /receipts",
    { query: { ...query, account: accountId, limit: PAGE } },
    { refetchInterval: isLive ? LOOK_EVERY : false },
  )
  return (
    <Page
      title="Requests"
      description={`Each request opens its receipt: what was called, what was used and what it cost. Times are of ${zoneName()}.`}
      actions={
        <LiveButton
          isLive={isLive && pages.error === null}
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
    </Page>
  )
}

/** "The last hour" begins when it is chosen: else each look would be another question. */
function useStableQuery(filters: Parameters<typeof requestQueryOf>[0]) {
  const text = JSON.stringify(filters)
  return useMemo(() => requestQueryOf(JSON.parse(text) as typeof filters, Date.now()), [text])
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
