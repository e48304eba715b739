import { Button } from "@mantine/core"
import type { Usage, UsageRow } from "tollgate-contract/usage.ts"
import { toLocalField } from "../../format/moments.ts"
import { countText, shareText } from "../../format/numbers.ts"
import { DataTable, type Column } from "../../ui/data-table.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { Money } from "../../ui/money.tsx"
import { MarkedModel } from "../../ui/provider-mark.tsx"
import { type ChartData, nameOf } from "./series.ts"
import { groupOf, requestsSearchOf, type UsageFilters, type UsageSpan } from "./usage-filters.ts"
import type { UsageMetric } from "./usage-metrics.ts"
import { momentText } from "./usage-over-time.tsx"
import { inSentence, t } from "../../languages/text.ts"

/** Groups whose names begin with a provider. */
const MARKED_GROUPS: ReadonlySet<string> = new Set(["model", "provider"])

interface GroupTableProperties {
  readonly usage: Usage
  readonly filters: UsageFilters
  readonly span: UsageSpan
  readonly metric: UsageMetric
  /** The noun for a row, such as "Model". */
  readonly noun: string
}

/** Lists the groups with their values. Each row links to its requests. */
export function GroupTable({ usage, filters, span, metric, noun }: GroupTableProperties) {
  const before = new Map(usage.before?.data.map((row) => [row.group, row]))
  const isMarked = MARKED_GROUPS.has(groupOf(filters))
  const columns: Column<UsageRow>[] = [
    {
      id: "name",
      header: noun,
      cell: (row) => (
        <MarkedModel model={isMarked ? row.group : null}>
          <RequestsLink row={row} filters={filters} span={span} />
        </MarkedModel>
      ),
    },
    {
      id: "metric",
      header: metric.label,
      isFigure: true,
      cell: (row) => <Figure metric={metric} row={row} />,
    },
    {
      id: "share",
      header: t("Share"),
      isFigure: true,
      cell: (row) => shareOf(row, usage.total, metric),
    },
    {
      id: "change",
      header: t("Change"),
      isSecondary: true,
      isFigure: true,
      cell: (row) => changeText(row, before.get(row.group), metric),
    },
    {
      id: "requests",
      header: t("Requests"),
      isFigure: true,
      cell: (row) => countText(row.requests),
    },
    {
      id: "errors",
      header: t("Failed"),
      isSecondary: true,
      isFigure: true,
      cell: (row) => countText(row.errors),
    },
    {
      id: "tokens",
      header: t("Tokens"),
      isSecondary: true,
      isFigure: true,
      cell: (row) => countText(row.input + row.output),
    },
    { id: "cost", header: t("Spend"), isFigure: true, cell: (row) => <Money value={row.cost} /> },
  ]
  const isShown = ({ id }: Column<UsageRow>): boolean =>
    id !== metric.value && !(id === "share" && !metric.isSum) && !(id === "change" && metric.isTime)
  return (
    <DataTable
      label={t("Usage by {noun}", { noun: inSentence(noun) })}
      columns={columns.filter(isShown)}
      rows={usage.data}
      rowKey={(row) => row.group}
      minWidth={860}
    />
  )
}

function RequestsLink({
  row,
  filters,
  span,
}: Pick<GroupTableProperties, "filters" | "span"> & { readonly row: UsageRow }) {
  return (
    <TextLink
      to="/requests"
      search={requestsSearchOf(filters, row.group, span, toLocalField)}
      className="anywhere"
    >
      {nameOf(row)}
    </TextLink>
  )
}

function Figure({ metric, row }: { readonly metric: UsageMetric; readonly row: UsageRow }) {
  return metric.amount === undefined ? metric.text(row) : <Money value={metric.amount(row)} />
}

function shareOf(row: UsageRow, total: UsageRow, metric: UsageMetric): string {
  const whole = metric.rough(total) ?? 0
  return whole === 0 ? "–" : shareText((metric.rough(row) ?? 0) / whole)
}

/** The change from a time range without usage. */
export const NEW = t("new")

/** Formats the change from the preceding time range: `+12%`, `new`. */
export function changeText(
  row: UsageRow,
  before: UsageRow | undefined,
  metric: UsageMetric,
): string {
  if (metric.isTime) return ""
  const then = before === undefined ? 0 : (metric.rough(before) ?? 0)
  const now = metric.rough(row) ?? 0
  if (then === 0) return now === 0 ? "–" : NEW
  const change = (now - then) / then
  return `${change > 0 ? "+" : ""}${shareText(change)}`
}

/** Maximum number of series in a table with wide spacing. */
const SPACIOUS_SERIES = 5

interface TimeTableProperties {
  readonly data: ChartData
  readonly metric: UsageMetric
  readonly step: "hour" | "day"
  /** Receives the chosen moment, as the first and the last one of a range. */
  readonly onChoose: (first: string, last: string) => void
}

/** Shows the chart as a table, for screen readers and keyboards. */
export function TimeTable({ data, metric, step, onChoose }: TimeTableProperties) {
  const rows = data.moments
    .map((at, index) => ({ at, points: data.series.map(({ points }) => points[index]) }))
    .toReversed()
  const columns: Column<(typeof rows)[number]>[] = [
    {
      id: "at",
      header: step === "day" ? t("Day (UTC)") : t("Hour"),
      cell: ({ at }) => (
        <Button variant="subtle" size="compact-sm" onClick={() => onChoose(at, at)}>
          {momentText(at, step)}
        </Button>
      ),
    },
    ...data.series.map(({ group, name }, index) => ({
      id: `of ${group}`,
      header: name,
      isFigure: true,
      cell: ({ points }: (typeof rows)[number]) => {
        const point = points[index]
        if (point === undefined) return <span className="dim">–</span>
        return <Figure metric={metric} row={point} />
      },
    })),
  ]
  return (
    <DataTable
      label={t("{label} over time", { label: metric.label })}
      columns={columns}
      rows={rows}
      rowKey={({ at }) => at}
      minWidth={160 + 85 * data.series.length}
      isDense={data.series.length > SPACIOUS_SERIES}
    />
  )
}

/** Returns the data of the page as spreadsheet rows. */
export function csvRowsOf(usage: Usage, noun: string): (string | number)[][] {
  const head = [noun, "requests", "failed", "input", "output", "spend", "vendor cost"]
  const rows = usage.data.map((row) => [
    nameOf(row),
    row.requests,
    row.errors,
    row.input,
    row.output,
    row.cost,
    row.provider_cost ?? "",
  ])
  return [head, ...rows]
}
