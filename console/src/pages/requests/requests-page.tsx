import { Button, Indicator } from "@mantine/core"
import { IconPlayerPause, IconPlayerPlay } from "../../ui/icons.tsx"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount } from "../../account.tsx"
import { zoneName } from "../../format/moments.ts"
import { Page } from "../../ui/page.tsx"
import { FilterBar } from "./filter-bar.tsx"
import { RejectedList } from "./rejected-list.tsx"
import { RequestList } from "./request-list.tsx"
import type { ListProperties } from "./list-properties.ts"
import { rejectedQueryOf, type RequestFilters } from "./request-filters.ts"
import { RequestHistogram } from "./request-histogram.tsx"
import { useKeyNames } from "./use-key-names.ts"
import { useIsAtTop } from "./use-live.ts"
import { PAGE, useStableQuery } from "./use-stable-query.ts"
import { t } from "../../languages/text.ts"

const route = getRouteApi("/signed-in/requests")
const POLL_INTERVAL_MS = 2_000

/** Lists all requests, newest first, with live updates. */
export function RequestsPage() {
  const { account: _, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const { accountId, isAll } = useAccount()
  const isAtTop = useIsAtTop()
  const [isPaused, setPaused] = useState(false)
  const [isWell, setWell] = useState(true)
  const isLive = isAtTop && !isPaused
  const change = (change: RequestFilters) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
  const list = {
    account: accountId,
    isAll,
    filters,
    refetchInterval: isLive ? POLL_INTERVAL_MS : (false as const),
    onState: setWell,
  }
  return (
    <Page
      title={t("Requests")}
      description={t(
        "Open a request for its receipt: model, usage and charge. Times are in {zone}.",
        { zone: zoneName() },
      )}
      actions={
        <LiveButton
          isLive={isLive && isWell}
          isPaused={isPaused}
          onToggle={() => setPaused(!isPaused)}
        />
      }
    >
      <FilterBar account={accountId} filters={filters} onChange={change} />
      <RequestHistogram account={accountId} filters={filters} onChange={change} />
      {filters.status === "rejected" ? (
        <RejectedRequests {...list} />
      ) : (
        <RequestList {...list} onSort={(sort) => change({ sort })} />
      )}
    </Page>
  )
}

/** Lists the requests that received an error before a provider was called. */
function RejectedRequests(properties: ListProperties) {
  const { account, isAll, filters, refetchInterval, onState } = properties
  const query = useStableQuery(filters, rejectedQueryOf)
  const names = useKeyNames(account)
  return (
    <RejectedList
      query={{ ...query, account, limit: PAGE }}
      isAll={isAll}
      keys={names}
      refetchInterval={refetchInterval}
      onState={onState}
    />
  )
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
      {isPaused ? t("Continue") : t("Live")}
    </Button>
  )
}
