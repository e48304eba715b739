import { Group, SegmentedControl, Skeleton } from "@mantine/core"
import { getRouteApi } from "@tanstack/react-router"
import type { Overview } from "tollgate-contract/usage.ts"
import { toLocalField } from "../../format/moments.ts"
import { counted } from "../../format/numbers.ts"
import { usagePoints, type Measure, type Span } from "../../format/usage-points.ts"
import { Panel } from "../../ui/panel.tsx"
import { UsageChart } from "../../ui/usage-chart.tsx"
import { rangeFilters } from "../usage/usage-filters.ts"

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

/** The parts of a two-part bar, from bottom to top. */
const PARTS: Readonly<Record<Measure, readonly string[]>> = {
  cost: [],
  requests: ["Answered", "Failed"],
  tokens: ["Input", "Output"],
}
const route = getRouteApi("/signed-in/")

/** Shows usage over time as bars. The URL stores the selection. Chosen bars open the usage page. */
export function UsagePanel({ overview }: { readonly overview: Overview | undefined }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const measure = MEASURES.find(({ value }) => value === search.metric)?.value ?? "cost"
  const span = search.time === "24h" ? "hours" : "days"
  const change = (part: {
    readonly metric?: string | undefined
    readonly time?: string | undefined
  }) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true })
  const choose = (first: string, last: string) =>
    void navigate({
      to: "/usage",
      search: rangeFilters({ step: span === "days" ? "day" : "hour" }, first, last, toLocalField),
    })
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
            onChange={(metric) => change({ metric: metric === "cost" ? undefined : metric })}
          />
          <SegmentedControl
            size="xs"
            aria-label="Time range"
            data={[...SPANS]}
            value={span}
            onChange={(value) => change({ time: value === "hours" ? "24h" : undefined })}
          />
        </Group>
      }
    >
      {overview === undefined ? (
        <Skeleton height={HEIGHT} />
      ) : (
        <>
          <UsageChart
            points={points}
            measure={measure}
            height={HEIGHT}
            onChoose={choose}
            label={`${name} over the last ${time}: ${counted(total, "request")} in total`}
          />
          {PARTS[measure].length > 0 && (
            <ul className="chart-legend" aria-label="Legend">
              {PARTS[measure].map((part, index) => (
                <li key={part} className="chart-key">
                  <i className={`chart-part-${index === 0 ? "main" : measure}`} /> {part}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Panel>
  )
}
