import { Button, Group, SegmentedControl, Select, TextInput } from "@mantine/core"
import { useDebouncedCallback } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { keysQuery } from "../../api/queries.ts"
import { Search } from "../../ui/search.tsx"
import { FilterMark } from "../../ui/filter-mark.tsx"
import { MoreFilters } from "./more-filters.tsx"
import {
  BOUND_FILTERS,
  isFiltered,
  LINKED_FILTERS,
  TIMES,
  type RequestFilters,
} from "./request-filters.ts"
import { t } from "../../languages/text.ts"

export interface FilterBarProperties {
  readonly account: string | undefined
  readonly filters: RequestFilters
  readonly onChange: (change: RequestFilters) => void
}

const STATUSES = [
  { value: "all", label: t("All") },
  { value: "ok", label: t("Answered") },
  { value: "failed", label: t("Failed") },
  { value: "rejected", label: t("Rejected") },
  { value: "written_off", label: t("Written off") },
]

const NO_FILTERS: RequestFilters = {
  time: undefined,
  from: undefined,
  to: undefined,
  key: undefined,
  model: undefined,
  status: undefined,
  search: undefined,
  provider: undefined,
  endpoint: undefined,
  user: undefined,
  session: undefined,
  tag: undefined,
  min_cost: undefined,
  max_cost: undefined,
  min_time: undefined,
  max_time: undefined,
}

/** The filters of the requests. They are part of the page address, so that a filtered list can be shared as a link. */
export function FilterBar({ account, filters, onChange }: FilterBarProperties) {
  const keys = useQuery(keysQuery(account))
  const names = keys.data?.data.map((key) => ({ value: key.id, label: key.name })) ?? []
  if (filters.key !== undefined && names.every((each) => each.value !== filters.key)) {
    names.push({ value: filters.key, label: filters.key })
  }
  return (
    <div className="filters">
      <Search
        label={t("Search errors, models, keys, users")}
        value={filters.search ?? ""}
        onChange={(search) => onChange({ search: search || undefined })}
      />
      <Select
        aria-label={t("Time")}
        data={[...TIMES]}
        value={filters.time ?? "all"}
        onChange={(time) => onChange({ time: time ?? undefined })}
        allowDeselect={false}
      />
      <Select
        aria-label={t("Key")}
        placeholder={t("Any key")}
        data={names}
        value={filters.key ?? null}
        onChange={(key) => onChange({ key: key ?? undefined })}
        clearable
        searchable
      />
      <ModelField
        value={filters.model ?? ""}
        onChange={(model) => onChange({ model: model || undefined })}
      />
      <SegmentedControl
        aria-label={t("Status")}
        size="sm"
        className="filters-wide"
        data={STATUSES}
        value={filters.status ?? "all"}
        onChange={(status) => onChange({ status: status === "all" ? undefined : status })}
      />
      {filters.status !== "rejected" && <MoreFilters filters={filters} onChange={onChange} />}
      {[...LINKED_FILTERS, ...BOUND_FILTERS].map(([name, label]) => {
        const value = filters[name]
        if (value === undefined) return null
        const words = { filter: label, value }
        return <FilterMark key={name} {...words} onRemove={() => onChange({ [name]: undefined })} />
      })}
      {filters.time === "custom" && <CustomTime filters={filters} onChange={onChange} />}
      {isFiltered(filters) && (
        <Button variant="subtle" onClick={() => onChange(NO_FILTERS)}>
          {t("Clear filters")}
        </Button>
      )}
    </div>
  )
}

interface ModelFieldProperties {
  readonly value: string
  readonly onChange: (value: string) => void
}

function ModelField({ value, onChange }: ModelFieldProperties) {
  const [typed, setTyped] = useState(value)
  const change = useDebouncedCallback(onChange, 300)
  useEffect(() => setTyped(value), [value])
  return (
    <TextInput
      aria-label={t("Model, or a pattern with an asterisk")}
      className="filters-full"
      placeholder={t("Any model, openai/*")}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        change(event.currentTarget.value.trim())
      }}
    />
  )
}

function CustomTime({ filters, onChange }: Omit<FilterBarProperties, "account">) {
  return (
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
  )
}
