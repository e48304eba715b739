import { Paper, Text } from "@mantine/core"
import { useElementSize } from "@mantine/hooks"
import { useState } from "react"
import { axisTicks } from "../../format/axis-ticks.ts"
import { trendPath } from "../../format/trend-path.ts"
import { useBarRange } from "../../ui/use-bar-range.ts"
import { type ChartData, type Series, totalAt } from "./series.ts"
import type { UsageMetric } from "./usage-metrics.ts"
import { t, currentLanguage } from "../../languages/text.ts"

export interface UsageOverTimeProperties {
  readonly data: ChartData
  readonly metric: UsageMetric
  readonly step: "hour" | "day"
  /** A sentence that describes the chart for screen readers. */
  readonly label: string
  /** Receives the first and the last chosen moment. */
  readonly onChoose: (first: string, last: string) => void
}

const HEIGHT = 300
/** Minimum width of a time label in CSS pixels. */
const LABEL_WIDTH = 64

/**
 * Shows stacked bars. Metrics that do not add up, such as durations, are shown as lines with dots. A click on a moment,
 * or dragging over several, chooses their time range.
 */
export function UsageOverTime({ data, metric, step, label, onChoose }: UsageOverTimeProperties) {
  const { ref, width } = useElementSize()
  const [pointed, setPointed] = useState<number>()
  const { moments, series } = data
  const heights = moments.map((_, index) => series.map((one) => valueOf(one, index, metric) ?? 0))
  const highest = Math.max(
    0,
    ...heights.map((column) =>
      metric.isSum ? column.reduce((sum, value) => sum + value, 0) : Math.max(0, ...column),
    ),
  )
  const ticks = axisTicks(highest, metric.order !== "cost" && (metric.isSum || metric.isTime))
  const top = ticks.at(-1) ?? 1
  const { plot, bar } = useBarRange(({ first, last }) => {
    const [from, to] = [moments[first], moments[last]]
    if (from !== undefined && to !== undefined) onChoose(from, to)
  })
  const labelled = Math.max(1, Math.ceil((moments.length * LABEL_WIDTH) / Math.max(width, 1)))
  return (
    <div role="img" aria-label={label} style={{ height: HEIGHT }} className="chart chart-ranges">
      <div className="chart-scale">
        {ticks.toReversed().map((tick) => (
          <span key={tick}>{metric.axis(tick)}</span>
        ))}
      </div>
      <div className="chart-plot" ref={ref} onMouseLeave={() => setPointed(undefined)} {...plot}>
        <div className="chart-lines">
          {ticks.map((tick) => (
            <i key={tick} style={{ bottom: share(tick, top) }} />
          ))}
        </div>
        {!metric.isSum && <Trend series={series} metric={metric} top={top} />}
        {moments.map((at, index) => (
          <div
            key={at}
            className="chart-column"
            onMouseEnter={() => setPointed(index)}
            {...bar(index)}
          >
            <Column series={series} index={index} metric={metric} top={top} />
            {(moments.length - 1 - index) % labelled === 0 && <span>{momentText(at, step)}</span>}
          </div>
        ))}
        {pointed !== undefined && (
          <Note
            data={data}
            index={pointed}
            metric={metric}
            step={step}
            side={pointed < moments.length / 2 ? "right" : "left"}
          />
        )}
      </div>
    </div>
  )
}

interface TrendProperties {
  readonly series: readonly Series[]
  readonly metric: UsageMetric
  readonly top: number
}

/** Draws a line through the dots of each group. The line is broken at missing values. */
function Trend({ series, metric, top }: TrendProperties) {
  const moments = series[0]?.points.length ?? 0
  return (
    <svg viewBox={`0 0 ${moments} 1`} preserveAspectRatio="none" className="chart-trend">
      {series.map((one) => (
        <path
          key={one.group}
          className={`series-${one.color}`}
          d={trendPath(
            one.points.map((_, index) => valueOf(one, index, metric)),
            top,
          )}
        />
      ))}
    </svg>
  )
}

interface ColumnProperties {
  readonly series: readonly Series[]
  readonly index: number
  readonly metric: UsageMetric
  readonly top: number
}

function Column({ series, index, metric, top }: ColumnProperties) {
  const values = series.flatMap((one) => {
    const value = valueOf(one, index, metric)
    return value === null || value === 0 ? [] : [{ one, value }]
  })
  if (!metric.isSum) {
    return values.map(({ one, value }) => (
      <b
        key={one.group}
        className={`chart-dot series-${one.color}`}
        style={{ bottom: share(value, top) }}
      />
    ))
  }
  return (
    <div className="chart-bar">
      {values.toReversed().map(({ one, value }) => (
        <b
          key={one.group}
          className={`series-${one.color}`}
          style={{ height: share(value, top) }}
        />
      ))}
    </div>
  )
}

interface NoteProperties {
  readonly data: ChartData
  readonly index: number
  readonly metric: UsageMetric
  readonly step: "hour" | "day"
  readonly side: "left" | "right"
}

function Note({ data, index, metric, step, side }: NoteProperties) {
  const at = data.moments[index]
  const rows = data.series.flatMap((one) => {
    const point = one.points[index]
    return point === undefined ? [] : [{ one, point }]
  })
  const total = metric.isSum && rows.length > 1 ? totalAt(data, index) : undefined
  return (
    <Paper withBorder shadow="sm" p="xs" className="panel chart-note" style={{ [side]: 0 }}>
      <Text size="xs" fw={600}>
        {at === undefined ? "" : momentText(at, step)}
        {total !== undefined && `: ${metric.text(total)}`}
      </Text>
      {rows.length === 0 && <Text size="xs">{t("Nothing")}</Text>}
      {rows.map(({ one, point }) => (
        <Text size="xs" key={one.group} className="figures chart-key">
          <i className={`series-${one.color}`} /> {one.name}: {metric.text(point)}
        </Text>
      ))}
    </Paper>
  )
}

/** Shows the color of each group. */
export function Legend({ series }: { readonly series: readonly Series[] }) {
  return (
    <ul className="chart-legend" aria-label={t("Legend")}>
      {series.map(({ group, name, color }) => (
        <li key={group} className="chart-key">
          <i className={`series-${color}`} /> {name}
        </li>
      ))}
    </ul>
  )
}

function valueOf({ points }: Series, index: number, metric: UsageMetric): number | null {
  const point = points[index]
  return point === undefined ? null : metric.rough(point)
}

function share(part: number, whole: number): string {
  return `${(100 * part) / whole}%`
}

/** Labels days in UTC, because they are billed in UTC, and hours in the reader's time zone. */
export function momentText(iso: string, step: "hour" | "day"): string {
  const style: Intl.DateTimeFormatOptions =
    step === "day"
      ? { day: "numeric", month: "short", timeZone: "UTC" }
      : { weekday: "short", hour: "2-digit", minute: "2-digit" }
  return new Intl.DateTimeFormat(currentLanguage.locale, style).format(new Date(iso))
}
