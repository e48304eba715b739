import { Group, SegmentedControl, Skeleton } from "@mantine/core"
import { useState } from "react"
import type { Overview } from "tollgate-contract/usage.ts"
import { counted } from "../../format/numbers.ts"
import { usagePoints, type Measure, type Span } from "../../format/usage-points.ts"
import { Panel } from "../../ui/panel.tsx"
import { UsageChart } from "../../ui/usage-chart.tsx"

const MEASURES: readonly { value: Measure; label: string }[] = [
  { value: "cost", label: "Spend" },
  { value: "requests", label: "Requests" },
  { value: "tokens", label: "Tokens" },
]
const SPANS: readonly { value: Span; label: string }[] = [
  { value: "days", label: "30 days" },
  { value: "hours", label: "24 hours" },
]
const HEIGHT = 240

/** What was used over time, as bars. */
export function UsagePanel({ overview }: { readonly overview: Overview | undefined }) {
  const [measure, setMeasure] = useState<Measure>("cost")
  const [span, setSpan] = useState<Span>("days")
  const points = usagePoints(overview?.[span] ?? [], measure, span)
  const total = points.reduce((sum, point) => sum + point.row.requests, 0)
  const name = MEASURES.find((each) => each.value === measure)?.label ?? ""
  const time = SPANS.find((each) => each.value === span)?.label ?? ""
  return (
    <Panel
      title="Usage"
      description={span === "days" ? "Days in UTC, as billed." : "Hours in your time zone."}
      actions={
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Metric"
            data={[...MEASURES]}
            value={measure}
            onChange={(value) => setMeasure(value)}
          />
          <SegmentedControl
            size="xs"
            aria-label="Time range"
            data={[...SPANS]}
            value={span}
            onChange={(value) => setSpan(value)}
          />
        </Group>
      }
    >
      {overview === undefined ? (
        <Skeleton height={HEIGHT} />
      ) : (
        <UsageChart
          points={points}
          measure={measure}
          height={HEIGHT}
          label={`${name} over the last ${time}: ${counted(total, "request")} in total`}
        />
      )}
    </Panel>
  )
}
