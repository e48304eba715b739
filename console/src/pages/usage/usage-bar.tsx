import { Group, SegmentedControl, Select, TextInput } from "@mantine/core"
import { useSession } from "../../session.tsx"
import { groupOf, groupsFor, TIMES, type UsageFilters } from "./usage-filters.ts"
import { METRICS, type UsageMetric } from "./usage-metrics.ts"
import { t } from "../../languages/text.ts"

export interface UsageBarProperties {
  readonly filters: UsageFilters
  readonly metric: UsageMetric
  readonly isOperator: boolean
  readonly onChange: (change: UsageFilters) => void
}

/**
 * Selects the filters, the grouping and the metric. They are part of the page address, so that a view can be shared as
 * a link.
 */
export function UsageBar({ filters, metric, isOperator, onChange }: UsageBarProperties) {
  const { shows_costs: showsCosts } = useSession()
  const metrics = METRICS.filter(({ isOperators }) => isOperator || !isOperators)
  return (
    <div className="filters">
      <Select
        aria-label={t("Metric")}
        data={metrics.map(({ value, label }) => ({ value, label }))}
        value={metric.value}
        onChange={(value) => onChange({ metric: value ?? undefined })}
        allowDeselect={false}
      />
      <Select
        aria-label={t("Group by")}
        data={[...groupsFor(showsCosts)]}
        value={groupOf(filters)}
        onChange={(group) => onChange({ group: group ?? undefined })}
        allowDeselect={false}
      />
      <Select
        aria-label={t("Time")}
        data={TIMES.map(({ value, label }) => ({ value, label }))}
        value={filters.time ?? "30d"}
        onChange={(time) => onChange({ time: time ?? undefined })}
        allowDeselect={false}
      />
      <SegmentedControl
        aria-label={t("Show as")}
        data={[
          { value: "chart", label: t("Chart") },
          { value: "table", label: t("Table") },
        ]}
        value={filters.view === "table" ? "table" : "chart"}
        onChange={(view) => onChange({ view: view === "table" ? view : undefined })}
      />
      {filters.time === "custom" && (
        <Group gap="sm" className="filters-wide">
          <TextInput
            aria-label={t("From")}
            type="datetime-local"
            value={filters.from ?? ""}
            onChange={(event) => onChange({ from: event.currentTarget.value || undefined })}
          />
          <TextInput
            aria-label={t("To")}
            type="datetime-local"
            value={filters.to ?? ""}
            onChange={(event) => onChange({ to: event.currentTarget.value || undefined })}
          />
        </Group>
      )}
    </div>
  )
}
