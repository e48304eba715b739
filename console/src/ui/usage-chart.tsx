import { Paper, Text } from "@mantine/core"
import {
  Bar,
  BarChart,
  CartesianGrid,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
  type TooltipContentProps,
} from "recharts"
import { creditsText } from "../format/credits.ts"
import { countText, shortCount } from "../format/numbers.ts"
import { PART_NAMES, type Measure, type UsagePoint } from "../format/usage-points.ts"

export interface UsageChartProperties {
  readonly points: readonly UsagePoint[]
  readonly measure: Measure
  /** What the chart shows, in a sentence, for those who do not see it. */
  readonly label: string
  readonly height?: number
}

/** Bars over time. Loaded only where a chart is shown: import it lazily. */
export function UsageChart({ points, measure, label, height = 220 }: UsageChartProperties) {
  const [main, other] = PART_NAMES[measure]
  return (
    <div role="img" aria-label={label} style={{ height }} className="chart">
      <ResponsiveContainer width="100%" height="100%">
        <BarChart
          data={[...points]}
          margin={{ top: 8, right: 0, bottom: 0, left: 0 }}
          barCategoryGap="18%"
          accessibilityLayer={false}
        >
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="label"
            tickLine={false}
            axisLine={{ stroke: "var(--line)" }}
            minTickGap={24}
            tick={TICK}
          />
          <YAxis
            width="auto"
            tickLine={false}
            axisLine={false}
            tick={TICK}
            tickFormatter={(value: number) => axisText(value, measure)}
            allowDecimals={measure === "cost"}
          />
          <Tooltip
            content={(properties) => <PointNote {...properties} measure={measure} />}
            cursor={{ fill: "var(--track)", opacity: 0.6 }}
            isAnimationActive={false}
          />
          <Bar
            dataKey="main"
            name={main}
            stackId="bar"
            fill="var(--chart-main)"
            isAnimationActive={false}
            radius={other === null ? [2, 2, 0, 0] : 0}
          />
          {other !== null && (
            <Bar
              dataKey="other"
              name={other}
              stackId="bar"
              fill={measure === "requests" ? "var(--chart-fault)" : "var(--chart-other)"}
              isAnimationActive={false}
              radius={[2, 2, 0, 0]}
            />
          )}
        </BarChart>
      </ResponsiveContainer>
    </div>
  )
}

const TICK = { fill: "var(--mantine-color-dimmed)", fontSize: 12 }

function axisText(value: number, measure: Measure): string {
  if (measure !== "cost") return shortCount(value)
  return value === 0 ? "0" : value.toPrecision(2).replace(/\.?0+$/, "")
}

type PointNoteProperties = TooltipContentProps & { readonly measure: Measure }

/** The exact figures of the bar that is pointed at. */
function PointNote({ active, payload, measure }: PointNoteProperties) {
  const point = payload[0]?.payload as UsagePoint | undefined
  if (!active || point === undefined) return null
  const { row } = point
  return (
    <Paper withBorder shadow="sm" p="xs" className="panel">
      <Text size="xs" fw={600}>
        {point.label}
      </Text>
      <Text size="xs" className="figures">
        {creditsText(row.cost)} credits
      </Text>
      <Text size="xs" className="figures">
        {countText(row.requests)} requests, {countText(row.errors)} failed
      </Text>
      {measure === "tokens" && (
        <Text size="xs" className="figures">
          {countText(row.input)} in, {countText(row.output)} out
        </Text>
      )}
    </Paper>
  )
}
