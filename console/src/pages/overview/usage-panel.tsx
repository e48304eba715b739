import { Group, SegmentedControl, Skeleton } from "@mantine/core"
import { getRouteApi } from "@tanstack/react-router"
import type { Overview } from "tollgate-contract/usage.ts"
import { toLocalField } from "../../format/moments.ts"
import { usagePoints, type Measure, type Span } from "../../format/usage-points.ts"
import { Panel } from "../../ui/panel.tsx"
import { UsageChart } from "../../ui/usage-chart.tsx"
import { rangeFilters } from "../usage/usage-filters.ts"
import { t } from "../../languages/text.ts"

const MEASURES: readonly { value: Measure; label: string }[] = [
  { value: "cost", label: t("Spend") },
  { value: "requests", label: t("Requests") },
  { value: "tokens", label: t("Tokens") },
]
const SPANS: readonly { value: Span; label: string }[] = [
  { value: "days", label: t("30 days") },
  { value: "hours", label: t("24 hours") },
]
const HEIGHT = 240

/** The parts of a two-part bar, from bottom to top. */
const PARTS: Readonly<Record<Measure, readonly string[]>> = {
  cost: [],
  requests: [t("Answered"), t("Failed")],
  tokens: [t("Input"), t("Output")],
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
      title={t("Usage")}
      description={span === "days" ? t("Days in UTC, as billed.") : t("Hours in your time zone.")}
      actions={
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={t("Metric")}
            data={[...MEASURES]}
            value={measure}
            onChange={(metric) => change({ metric: metric === "cost" ? undefined : metric })}
          />
          <SegmentedControl
            size="xs"
            aria-label={t("Time range")}
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
            label={t(
              "{metric} over the last {time}: {total, plural, one {# request} other {# requests}} in total",
              { metric: name, time, total },
            )}
          />
          {PARTS[measure].length > 0 && (
            <ul className="chart-legend" aria-label={t("Legend")}>
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
