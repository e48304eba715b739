import { Button, Popover, SimpleGrid, Stack, TextInput } from "@mantine/core"
import { useState } from "react"
import { IconAdjustmentsHorizontal } from "../../ui/icons.tsx"
import { useSession } from "../../session.tsx"
import type { FilterBarProperties } from "./filter-bar.tsx"
import {
  BOUND_FILTERS,
  boundFault,
  LINKED_FILTERS,
  linkedFiltersFor,
  type RequestFilters,
} from "./request-filters.ts"
import { t } from "../../languages/text.ts"

type MoreFiltersProperties = Pick<FilterBarProperties, "filters" | "onChange">

/** Shows less common filters. */
export function MoreFilters(properties: MoreFiltersProperties) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" width={320} trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={16} />}
          onClick={() => setOpen(!isOpen)}
        >
          {t("More filters")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("More filters")}>
        <FilterForm {...properties} onDone={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  )
}

function FilterForm({
  filters,
  onChange,
  onDone,
}: MoreFiltersProperties & { readonly onDone: () => void }) {
  const [typed, setTyped] = useState<RequestFilters>(filters)
  const { shows_costs: showsCosts } = useSession()
  const isFaulty = BOUND_FILTERS.some(([name]) => boundFault(typed[name] ?? "") !== undefined)
  const field = (name: keyof RequestFilters, label: string, error?: string) => (
    <TextInput
      key={name}
      size="xs"
      label={label}
      value={typed[name] ?? ""}
      error={error}
      onChange={(event) => setTyped({ ...typed, [name]: event.currentTarget.value.trim() })}
    />
  )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isFaulty) return
        const names = [...BOUND_FILTERS, ...LINKED_FILTERS].map(([name]) => name)
        onChange(Object.fromEntries(names.map((name) => [name, typed[name] || undefined])))
        onDone()
      }}
    >
      <Stack gap="xs">
        <SimpleGrid cols={2} spacing="xs" verticalSpacing="xs">
          {BOUND_FILTERS.map(([name, label]) => field(name, label, boundFault(typed[name] ?? "")))}
          {linkedFiltersFor(showsCosts).map(([name, label]) => field(name, label))}
        </SimpleGrid>
        <Button type="submit" size="xs" disabled={isFaulty}>
          {t("Filter")}
        </Button>
      </Stack>
    </form>
  )
}
