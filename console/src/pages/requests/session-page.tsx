import { SimpleGrid, Text } from "@mantine/core"
import { getRouteApi } from "@tanstack/react-router"
import { useEffect, useMemo } from "react"
import type { RequestSummary } from "tollgate-contract/receipts.ts"
import { useAccount } from "../../account.tsx"
import { usePages } from "../../api/use-pages.ts"
import { creditsText, nanos, nanosText } from "../../format/credits.ts"
import { countText, durationText } from "../../format/numbers.ts"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { IconArrowLeft } from "../../ui/icons.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { Stat } from "../../ui/stat.tsx"
import { zoneName } from "../../format/moments.ts"
import { hasFailed, requestColumns } from "./request-columns.tsx"
import { rich, t } from "../../languages/text.ts"

const route = getRouteApi("/signed-in/session")
const PAGE = 200
const MAX_CALLS = 1_000
/** The columns whose values differ between the requests of a session. */
const SHOWN = new Set(["at", "model", "outcome", "usage", "duration", "cost"])
const COLUMNS = requestColumns({ isAll: false, isExact: true, showsCosts: true }).filter(({ id }) =>
  SHOWN.has(id),
)

/** Shows the calls of one session in order, with their totals. */
export function SessionPage() {
  const { session = "" } = route.useSearch()
  const navigate = route.useNavigate()
  const { accountId } = useAccount()
  const pages = usePages("GET /receipts", { query: { session, account: accountId, limit: PAGE } })
  const { hasMore, isLoadingMore, loadMore, items } = pages
  const isCut = hasMore && items.length >= MAX_CALLS
  useEffect(() => {
    if (hasMore && !isLoadingMore && !isCut) loadMore()
  }, [hasMore, isLoadingMore, isCut, loadMore])
  const calls = useMemo(() => items.toReversed(), [items])
  return (
    <Page
      title={t("Session")}
      description={rich("{session}, its calls in order. Times are in {zone}.", {
        session: <span className="mono anywhere">{session}</span>,
        zone: zoneName(),
      })}
      actions={
        <LinkButton
          to="/requests"
          search={{ session }}
          variant="default"
          leftSection={<IconArrowLeft size={16} />}
        >
          {t("All requests")}
        </LinkButton>
      }
    >
      <ErrorNotice
        error={pages.error}
        title={t("The session could not be loaded")}
        retry={pages.retry}
      />
      {(pages.isLoading || calls.length > 0) && <Sums calls={calls} isLoading={pages.isLoading} />}
      {isCut && (
        <Text size="sm">
          {t("Only the last {count} calls are shown.", { count: countText(calls.length) })}
        </Text>
      )}
      {pages.hasContent && (
        <Panel isFlush>
          <DataTable
            label={t("Calls of the session")}
            columns={COLUMNS}
            rows={calls}
            rowKey={({ id }) => id}
            isLoading={pages.isLoading || (hasMore && !isCut)}
            minWidth={720}
            onRowClick={({ id }) =>
              void navigate({ to: "/requests/$request", params: { request: id } })
            }
            empty={
              <EmptyState title={t("No calls in this session")}>
                {t("Its requests may belong to another account.")}
              </EmptyState>
            }
          />
        </Panel>
      )}
    </Page>
  )
}

interface SumsProperties {
  readonly calls: readonly RequestSummary[]
  readonly isLoading: boolean
}

function Sums({ calls, isLoading }: SumsProperties) {
  const cost = calls.reduce((sum, call) => sum + nanos(call.cost), 0n)
  const failed = calls.filter((call) => hasFailed(call)).length
  const [first] = calls
  const ends = calls.map(({ at, duration_ms: duration }) => Date.parse(at) + (duration ?? 0))
  const lasted = first === undefined ? 0 : Math.max(...ends) - Date.parse(first.at)
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }}>
      <Stat label={t("Credits")} value={creditsText(nanosText(cost))} isLoading={isLoading} />
      <Stat label={t("Calls")} value={countText(calls.length)} isLoading={isLoading} />
      <Stat label={t("Failed")} value={countText(failed)} isLoading={isLoading} />
      <Stat label={t("Duration")} value={durationText(lasted)} isLoading={isLoading} />
    </SimpleGrid>
  )
}
