import { Button, SegmentedControl, Text } from "@mantine/core"
import { useElementSize } from "@mantine/hooks"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import type { RequestCount } from "tollgate-contract/usage.ts"
import { oneQuery } from "../../api/queries.ts"
import { axisTicks } from "../../format/axis-ticks.ts"
import { momentText } from "../../format/moments.ts"
import { countText, shortCount } from "../../format/numbers.ts"
import { useNow } from "../playground/use-now.ts"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { Panel } from "../../ui/panel.tsx"
import { useBarRange } from "../../ui/use-bar-range.ts"
import { type HistogramSpan, histogramSpan, narrowTo, partsOf } from "./histogram-span.ts"
import "./histogram.css"
import { type RequestFilters, requestCountQueryOf } from "./request-filters.ts"
import { t, currentLanguage } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"

export interface RequestHistogramProperties {
  readonly account: string | undefined
  readonly filters: RequestFilters
  readonly onChange: (change: RequestFilters) => void
}

const HEIGHT = 64
const POLL_INTERVAL_MS = 30_000
/** Minimum width of a time label in CSS pixels. */
const LABEL_WIDTH = 72
const OUTCOMES = ["answered", "failed", "rejected"] as const

/** Shows the number of requests over time. Choosing bars narrows the list to their time range. */
export function RequestHistogram({ account, filters, onChange }: RequestHistogramProperties) {
  const now = useNow(POLL_INTERVAL_MS)
  const [view, setView] = useState("chart")
  const span = useMemo(() => histogramSpan(filters, now), [filters, now])
  const query = { ...requestCountQueryOf(filters, span), account }
  const asked = useQuery({
    ...oneQuery("GET /usage/requests", { query }),
    placeholderData: keepPreviousData,
  })
  const counts = asked.data?.data ?? []
  const total = sumOf(counts)
  const reach = asked.data?.searched_from ?? null
  const narrow = (first: number, last = first) => onChange(narrowTo(first, last, span.step))
  return (
    <Panel
      title={
        asked.data === undefined
          ? t("Requests over time")
          : t(
              "{total, plural, one {# request} other {# requests}} {step, select, minute {by minute} hour {by hour} other {by day}}",
              { total, step: span.step },
            )
      }
      actions={
        <>
          <Text size="sm" c="dimmed">
            {reach === null
              ? t("Since {from}", { from: momentText(new Date(span.from).toISOString()) })
              : t("Counted since {reach}", { reach: momentText(reach) })}
          </Text>
          <Legend />
          <SegmentedControl
            size="xs"
            aria-label={t("Show requests over time as")}
            data={[
              { value: "chart", label: t("Chart") },
              { value: "table", label: t("Table") },
            ]}
            value={view}
            onChange={setView}
          />
        </>
      }
    >
      <ErrorNotice error={asked.error} title={t("The requests could not be counted")} />
      {view === "chart" ? (
        <Bars span={span} counts={counts} total={total} onChoose={narrow} />
      ) : (
        <CountTable counts={counts} onChoose={narrow} />
      )}
    </Panel>
  )
}

function sumOf(counts: readonly RequestCount[]): number {
  return counts.reduce((sum, count) => sum + heightOf(count), 0)
}

function heightOf({ answered, failed, rejected }: RequestCount): number {
  return answered + failed + rejected
}

interface BarsProperties {
  readonly span: HistogramSpan
  readonly counts: readonly RequestCount[]
  readonly total: number
  /** Receives the starts of the first and the last chosen bar. */
  readonly onChoose: (first: number, last?: number) => void
}

function Bars({ span, counts, total, onChoose }: BarsProperties) {
  const { ref, width } = useElementSize()
  const parts = partsOf(span)
  const known = new Map(counts.map((count) => [Date.parse(count.at), count]))
  const ticks = axisTicks(Math.max(0, ...counts.map(heightOf)), true)
  const top = ticks.at(-1) ?? 1
  const labelled = Math.max(1, Math.ceil((parts.length * LABEL_WIDTH) / Math.max(width, 1)))
  const { plot, bar } = useBarRange(({ first, last }) => {
    const [from, to] = [parts[first], parts[last]]
    if (from !== undefined && to !== undefined) onChoose(from, to)
  })
  return (
    <div
      role="img"
      aria-label={t(
        "{total, plural, one {# request} other {# requests}} over time; the table has the figures",
        { total },
      )}
      style={{ height: HEIGHT }}
      className="chart chart-ranges"
    >
      <div className="chart-scale">
        <span>{shortCount(top)}</span>
        <span>0</span>
      </div>
      <div className="chart-plot" ref={ref} {...plot}>
        {parts.map((at, index) => {
          const count = known.get(at)
          return (
            <div key={at} className="chart-column" title={titleOf(at, count)} {...bar(index)}>
              <div className="chart-bar">
                {OUTCOMES.toReversed().map((outcome) => (
                  <b
                    key={outcome}
                    className={`histogram-${outcome}`}
                    style={{ height: `${(100 * (count?.[outcome] ?? 0)) / top}%` }}
                  />
                ))}
              </div>
              {(parts.length - 1 - index) % labelled === 0 && <span>{labelOf(at, span)}</span>}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function Legend() {
  return (
    <ul className="chart-legend" aria-label={t("Legend")}>
      {OUTCOMES.map((outcome) => (
        <li key={outcome} className="chart-key">
          <i className={`histogram-${outcome}`} /> {word(outcome)}
        </li>
      ))}
    </ul>
  )
}

function titleOf(at: number, count: RequestCount | undefined): string {
  return t("{moment}: {answered} answered, {failed} failed, {rejected} rejected", {
    moment: momentText(new Date(at).toISOString()),
    answered: countText(count?.answered ?? 0),
    failed: countText(count?.failed ?? 0),
    rejected: countText(count?.rejected ?? 0),
  })
}

/** Labels days in UTC, like other pages, and hours and minutes in the reader's time zone. */
function labelOf(at: number, { step }: HistogramSpan): string {
  const style: Intl.DateTimeFormatOptions =
    step === "day"
      ? { day: "numeric", month: "short", timeZone: "UTC" }
      : { weekday: "short", hour: "2-digit", minute: "2-digit" }
  return new Intl.DateTimeFormat(currentLanguage.locale, style).format(at)
}

const HEADERS = { answered: t("Answered"), failed: t("Failed"), rejected: t("Rejected") }

/** Lists the bars as rows, for screen readers and keyboards. */
function CountTable({ counts, onChoose }: Pick<BarsProperties, "counts" | "onChoose">) {
  const figures = OUTCOMES.map((outcome) => ({
    id: outcome,
    header: HEADERS[outcome],
    isFigure: true,
    cell: (count: RequestCount) => countText(count[outcome]),
  }))
  return (
    <DataTable
      label={t("Requests over time")}
      columns={[
        {
          id: "at",
          header: t("Start"),
          cell: ({ at }: RequestCount) => (
            <Button variant="subtle" size="compact-sm" onClick={() => onChoose(Date.parse(at))}>
              {momentText(at)}
            </Button>
          ),
        },
        ...figures,
      ]}
      rows={counts}
      rowKey={({ at }) => at}
      minWidth={480}
      empty={
        <EmptyState title={t("No requests in this time range")}>
          {t("Choose another one.")}
        </EmptyState>
      }
    />
  )
}
