import { Button, Group, SimpleGrid, Skeleton, Text } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useMemo } from "react"
import type { Usage } from "tollgate-contract/usage.ts"
import { useAccount } from "../../account.tsx"
import { oneQuery } from "../../api/queries.ts"
import { saveCsv } from "../../ui/save-csv.ts"
import { toLocalField } from "../../format/moments.ts"
import { useSession } from "../../session.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FilterMark } from "../../ui/filter-mark.tsx"
import { IconChartBar } from "../../ui/icons.tsx"
import { Money } from "../../ui/money.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { Stat } from "../../ui/stat.tsx"
import { BillingGapsPanel } from "./billing-gaps-panel.tsx"
import { SavedCharts } from "./saved-charts.tsx"
import { SpendingChangePanel } from "./spending-change-panel.tsx"
import { chartDataOf } from "./series.ts"
import { UsageBar } from "./usage-bar.tsx"
import {
  GROUPS,
  groupOf,
  NARROWING,
  rangeFilters,
  spanOf,
  type UsageFilters,
  usageQueryOf,
  type UsageSpan,
} from "./usage-filters.ts"
import { METRICS, metricOf, type UsageMetric } from "./usage-metrics.ts"
import { Legend, UsageOverTime } from "./usage-over-time.tsx"
import { changeText, csvRowsOf, GroupTable, TimeTable, NEW } from "./usage-tables.tsx"
import { inSentence, t } from "../../languages/text.ts"

const route = getRouteApi("/signed-in/usage")
/**
 * The time range is part of the query and is rounded to this step. Otherwise, each render would start another query.
 */
const TIME_STEP_MS = 60_000

/** Shows usage and cost, by any group and over any time range. */
export function UsagePage() {
  const { account: _, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const { accountId } = useAccount()
  const isOperator = useSession().is_operator
  const metric = metricOf(filters.metric, isOperator)
  const now = Math.floor(Date.now() / TIME_STEP_MS) * TIME_STEP_MS
  const span = spanOf(filters, now)
  function change(changed: UsageFilters) {
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true })
  }
  /** Changes the filters with an entry in the history, so that Back restores the previous filters. */
  function pushChange(changed: UsageFilters) {
    void navigate({ search: (before) => ({ ...before, ...changed }), resetScroll: false })
  }
  return (
    <Page
      title={t("Usage")}
      description={t("Usage and cost by account, key and model. Days are in UTC.")}
      actions={<SavedCharts />}
    >
      <UsageBar filters={filters} metric={metric} isOperator={isOperator} onChange={change} />
      <Narrowed filters={filters} onChange={change} />
      {span === undefined ? (
        <Panel>
          <Text size="sm">{t("Enter a start, and an end after it.")}</Text>
        </Panel>
      ) : (
        <>
          <Found
            filters={filters}
            metric={metric}
            account={accountId}
            span={span}
            onChange={pushChange}
          />
          {isOperator && <BillingGapsPanel account={accountId} span={span} />}
        </>
      )}
    </Page>
  )
}

interface NarrowedProperties {
  readonly filters: UsageFilters
  readonly onChange: (change: UsageFilters) => void
}

/** Shows the active filters, each with a button that removes it. */
function Narrowed({ filters, onChange }: NarrowedProperties) {
  const set = NARROWING.filter((name) => filters[name] !== undefined)
  if (set.length === 0) return null
  return (
    <Group gap="xs">
      {set.map((name) => (
        <FilterMark
          key={name}
          filter={GROUPS.find(({ value }) => value === name)?.label ?? name}
          value={filters[name] ?? ""}
          onRemove={() => onChange({ [name]: undefined })}
        />
      ))}
    </Group>
  )
}

interface FoundProperties {
  readonly filters: UsageFilters
  readonly metric: UsageMetric
  readonly account: string | undefined
  readonly span: UsageSpan
  readonly onChange: (change: UsageFilters) => void
}

function Found({ filters, metric, account, span, onChange }: FoundProperties) {
  const query = usageQueryOf(filters, account, span, metric)
  const found = useQuery({
    ...oneQuery("GET /usage", { query }),
    placeholderData: keepPreviousData,
  })
  const usage = found.data
  const data = useMemo(() => usage && chartDataOf(usage, span, metric), [usage, span, metric])
  const choose = (first: string, last: string) =>
    onChange(rangeFilters(span, first, last, toLocalField))
  const noun = GROUPS.find(({ value }) => value === groupOf(filters))?.label ?? ""
  if (found.error) return <ErrorNotice error={found.error} />
  if (usage === undefined || data === undefined) return <Skeleton height={420} />
  if (usage.total.requests === 0) {
    return (
      <EmptyState icon={<IconChartBar />} title={t("No usage")}>
        {t("No requests match. Choose a longer time range or remove a filter.")}
      </EmptyState>
    )
  }
  return (
    <>
      <Totals usage={usage} />
      <Panel
        title={metric.label}
        description={usage.sampled === true ? t("Based on a sample of the responses.") : undefined}
      >
        {filters.view === "table" ? (
          <TimeTable data={data} metric={metric} step={span.step} onChoose={choose} />
        ) : (
          <>
            <UsageOverTime
              data={data}
              metric={metric}
              step={span.step}
              onChoose={choose}
              label={t("{label} over time by {noun}: {text} in total. The table has the figures.", {
                label: metric.label,
                noun: inSentence(noun),
                text: metric.text(usage.total),
              })}
            />
            <Legend series={data.series} />
          </>
        )}
      </Panel>
      <SpendingChangePanel
        usage={usage}
        filters={filters}
        account={account}
        span={span}
        onExplain={() => onChange({ why: "true" })}
      />
      <Panel
        isFlush
        title={t("By {noun}", { noun: inSentence(noun) })}
        actions={<Download usage={usage} noun={noun} />}
      >
        <GroupTable usage={usage} filters={filters} span={span} metric={metric} noun={noun} />
      </Panel>
    </>
  )
}

/** Shows the main totals and their change from the preceding time range. */
function Totals({ usage }: { readonly usage: Usage }) {
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} className="stats">
      {METRICS.filter(({ isSum, isOperators }) => isSum && !isOperators).map((metric) => (
        <Stat
          key={metric.value}
          label={metric.label}
          value={
            metric.amount === undefined ? (
              metric.text(usage.total)
            ) : (
              <Money value={metric.amount(usage.total)} decimals={4} hasUnit />
            )
          }
          note={changeNote(changeText(usage.total, usage.before?.total, metric))}
        />
      ))}
    </SimpleGrid>
  )
}

function changeNote(change: string): string {
  if (change === NEW) return t("no usage in the previous period")
  return change === "–"
    ? t("same as the previous period")
    : t("{change} vs. the previous period", { change })
}

function Download({ usage, noun }: { readonly usage: Usage; readonly noun: string }) {
  return (
    <Button
      variant="default"
      size="xs"
      onClick={() => saveCsv("usage.csv", csvRowsOf(usage, noun))}
    >
      {t("CSV")}
    </Button>
  )
}
