import { Paper, Text } from "@mantine/core"
import { useElementSize } from "@mantine/hooks"
import { useState } from "react"
import { axisTicks, creditsTick } from "../format/axis-ticks.ts"
import { creditsText } from "../format/credits.ts"
import { countText, shortCount } from "../format/numbers.ts"
import type { Measure, UsagePoint } from "../format/usage-points.ts"
import { useBarRange } from "./use-bar-range.ts"
import { t } from "../languages/text.ts"

export interface UsageChartProperties {
  readonly points: readonly UsagePoint[]
  readonly measure: Measure
  /** A sentence that describes the chart for screen readers. */
  readonly label: string
  readonly height?: number
  /** Receives the starts of the first and the last chosen bar. */
  readonly onChoose: (first: string, last: string) => void
}

/** Minimum width of a time label in CSS pixels. */
const LABEL_WIDTH = 64

/**
 * Shows usage as bars over time, with the exact values of the hovered bar. A click on a bar, or dragging over several,
 * chooses their time range.
 */
export function UsageChart({
  points,
  measure,
  label,
  height = 220,
  onChoose,
}: UsageChartProperties) {
  const { ref, width } = useElementSize()
  const [pointed, setPointed] = useState<number>()
  const highest = Math.max(0, ...points.map(({ main, other }) => main + other))
  const ticks = axisTicks(highest, measure !== "cost")
  const top = ticks.at(-1) ?? 1
  const labelled = Math.max(1, Math.ceil((points.length * LABEL_WIDTH) / Math.max(width, 1)))
  const { plot, bar } = useBarRange(({ first, last }) => {
    const [from, to] = [points[first], points[last]]
    if (from !== undefined && to !== undefined) onChoose(from.at, to.at)
  })
  const note = pointed === undefined ? undefined : points[pointed]
  return (
    <div role="img" aria-label={label} style={{ height }} className="chart chart-ranges">
      <div className="chart-scale">
        {ticks.toReversed().map((tick) => (
          <span key={tick}>{measure === "cost" ? creditsTick(tick) : shortCount(tick)}</span>
        ))}
      </div>
      <div className="chart-plot" ref={ref} onMouseLeave={() => setPointed(undefined)} {...plot}>
        <div className="chart-lines">
          {ticks.map((tick) => (
            <i key={tick} style={{ bottom: share(tick, top) }} />
          ))}
        </div>
        {points.map((point, index) => (
          <div
            key={point.at}
            className="chart-column"
            onMouseEnter={() => setPointed(index)}
            {...bar(index)}
          >
            <div className={`chart-bar ${measure}`}>
              <i style={{ height: share(point.other, top) }} />
              <b style={{ height: share(point.main, top) }} />
            </div>
            {(points.length - 1 - index) % labelled === 0 && <span>{point.label}</span>}
          </div>
        ))}
        {note !== undefined && pointed !== undefined && (
          <PointNote
            point={note}
            measure={measure}
            side={pointed < points.length / 2 ? "right" : "left"}
          />
        )}
      </div>
    </div>
  )
}

function share(part: number, whole: number): string {
  return `${(100 * part) / whole}%`
}

interface PointNoteProperties {
  readonly point: UsagePoint
  readonly measure: Measure
  /** The side of the chart where the text does not cover the hovered bar. */
  readonly side: "left" | "right"
}

function PointNote({ point, measure, side }: PointNoteProperties) {
  const { row, label } = point
  return (
    <Paper withBorder shadow="sm" p="xs" className="panel chart-note" style={{ [side]: 0 }}>
      <Text size="xs" fw={600}>
        {label}
      </Text>
      <Text size="xs" className="figures">
        {t("{amount} credits", { amount: creditsText(row.cost) })}
      </Text>
      <Text size="xs" className="figures">
        {t("{requests, plural, one {# request} other {# requests}}, {failed} failed", {
          requests: row.requests,
          failed: countText(row.errors),
        })}
      </Text>
      {measure === "tokens" && (
        <Text size="xs" className="figures">
          {t("{input} in, {output} out", {
            input: countText(row.input),
            output: countText(row.output),
          })}
        </Text>
      )}
    </Paper>
  )
}
