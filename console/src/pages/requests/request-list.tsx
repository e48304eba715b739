import { Button, Group, Switch, Text } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useMemo } from "react"
import type { ListedRequestPage } from "tollgate-contract/failures.ts"
import { addressOf } from "../../api/address.ts"
import { usePages } from "../../api/use-pages.ts"
import { momentText } from "../../format/moments.ts"
import { useSession } from "../../session.tsx"
import { ColumnChoice, useChosenColumns } from "../../ui/column-choice.tsx"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { IconListDetails } from "../../ui/icons.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { Panel } from "../../ui/panel.tsx"
import { readSorting, sortingText } from "../../ui/sorting.ts"
import type { ListProperties } from "./list-properties.ts"
import { listColumns, type ListColumnSettings } from "./list-columns.tsx"
import { isFiltered, requestQueryOf } from "./request-filters.ts"
import { useExactTimes } from "./use-exact-times.ts"
import { useKeyNames } from "./use-key-names.ts"
import { PAGE, useStableQuery } from "./use-stable-query.ts"
import { t } from "../../languages/text.ts"

interface RequestListProperties extends ListProperties {
  readonly onSort: (sort: string | undefined) => void
}

const NEWEST = { by: "at", order: "desc" } as const
/** Minimum width of a column in CSS pixels. */
const COLUMN_WIDTH = 120
/** Maximum number of columns with wide spacing. */
const SPACIOUS_COLUMNS = 7

function useColumns({ isAll, isExact, keys }: Omit<ListColumnSettings, "showsCosts">) {
  const { shows_costs: showsCosts } = useSession()
  return useMemo(
    () => listColumns({ isAll, isExact, showsCosts, keys }),
    [isAll, isExact, showsCosts, keys],
  )
}

/** Lists requests: those that held credits, and, unless a filter excludes them, those that were rejected. */
export function RequestList(properties: RequestListProperties) {
  const { account, isAll, filters, refetchInterval, onState, onSort } = properties
  const navigate = useNavigate()
  const query = useStableQuery(filters, requestQueryOf)
  const [isExact, setExact] = useExactTimes()
  const keys = useKeyNames(account)
  const all = useColumns({ isAll, isExact, keys })
  const chosen = useChosenColumns("requests", all)
  const pages = usePages(
    "GET /requests",
    { query: { ...query, account, limit: PAGE } },
    { refetchInterval },
  )
  const isWell = pages.error === null
  useEffect(() => onState(isWell), [onState, isWell])
  const sorting = readSorting(filters.sort, all, NEWEST)
  const reach = pages.last?.searched_from ?? null
  return (
    <>
      <ErrorNotice
        error={pages.error}
        title={t("The requests could not be loaded")}
        retry={pages.retry}
      />
      {pages.hasContent && (
        <Panel isFlush>
          <Group justify="flex-end" gap="xs" px="md" py={4}>
            <ColumnChoice all={all} chosen={chosen}>
              <Switch
                size="xs"
                label={t("Date and time")}
                checked={isExact}
                onChange={() => setExact(!isExact)}
              />
            </ColumnChoice>
            <Button
              component="a"
              variant="default"
              size="xs"
              href={addressOf("GET /requests.csv", { query: { ...query, account } })}
              download
            >
              {t("CSV")}
            </Button>
          </Group>
          <DataTable
            label={t("Requests")}
            columns={chosen.columns}
            rows={pages.items}
            rowKey={(request) => request.id}
            isLoading={pages.isLoading}
            minWidth={chosen.columns.length * COLUMN_WIDTH}
            isDense={chosen.columns.length > SPACIOUS_COLUMNS}
            onRowClick={(request) =>
              void navigate({ to: "/requests/$request", params: { request: request.id } })
            }
            sorting={sorting}
            onSort={(next) => onSort(next.by === NEWEST.by ? undefined : sortingText(next))}
            empty={<NoRequests isFiltered={isFiltered(filters)} reach={reach} />}
          />
          {reach !== null && pages.items.length > 0 && <Reach reach={reach} {...pages} />}
          <MoreButton pages={pages} {...(reach !== null && { label: t("Search further back") })} />
        </Panel>
      )}
    </>
  )
}

/** Shows the time of the oldest request in the list. */
function Reach({ reach, hasMore }: { readonly reach: string; readonly hasMore: boolean }) {
  return (
    <Text size="sm" c="dimmed" p="sm" ta="center">
      {hasMore
        ? t("Searched back to {reach}.", { reach: momentText(reach) })
        : t("Only requests since {reach} are sorted. Choose an earlier time range for others.", {
            reach: momentText(reach),
          })}
    </Text>
  )
}

interface NoRequestsProperties {
  readonly isFiltered: boolean
  readonly reach: ListedRequestPage["searched_from"]
}

function NoRequests({ isFiltered, reach }: NoRequestsProperties) {
  if (isFiltered) {
    return (
      <EmptyState
        title={
          reach === null
            ? t("No matching requests")
            : t("No matching requests since {reach}", { reach: momentText(reach) })
        }
      >
        {reach === null
          ? t("Change or remove a filter.")
          : t("Change or remove a filter, or search further back.")}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={<IconListDetails size={22} />}
      title={t("No requests yet")}
      action={<LinkButton to="/">{t("Go to the first steps")}</LinkButton>}
    >
      {t("Call a model with one of your keys. The request appears here within two seconds.")}
    </EmptyState>
  )
}
