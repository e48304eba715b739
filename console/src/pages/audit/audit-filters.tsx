import { Button, TextInput } from "@mantine/core"
import { useDebouncedCallback } from "@mantine/hooks"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { Search } from "../../ui/search.tsx"
import { t } from "../../languages/text.ts"

const route = getRouteApi("/signed-in/audit")

interface Filters {
  readonly search?: string | undefined
  readonly actor?: string | undefined
  readonly target?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Filters the records. The filters are part of the page URL, so that a filtered list can be shared as a link. */
export function AuditFilters() {
  const { search, actor, target, from, to } = route.useSearch()
  const navigate = route.useNavigate()
  const isFiltered = [search, actor, target, from, to].some((text) => text !== undefined)

  function change(part: Filters) {
    const texts = Object.entries(part).map(([name, text]) => [name, text || undefined])
    void navigate({
      search: (before) => ({ ...before, ...Object.fromEntries(texts) }),
      replace: true,
    })
  }

  return (
    <div className="filters filters-named panel-filters">
      <Search
        label={t("Search actions, people and objects")}
        value={search ?? ""}
        onChange={(text) => change({ search: text })}
      />
      <TextFilter
        label={t("Actor")}
        value={actor ?? ""}
        onChange={(text) => change({ actor: text })}
      />
      <TextFilter
        label={t("ID of the changed object")}
        value={target ?? ""}
        onChange={(text) => change({ target: text })}
      />
      <TextInput
        type="datetime-local"
        className="filters-full"
        data-moment
        label={t("From")}
        value={from ?? ""}
        onChange={(event) => change({ from: event.currentTarget.value })}
      />
      <TextInput
        type="datetime-local"
        className="filters-full"
        data-moment
        label={t("To")}
        value={to ?? ""}
        onChange={(event) => change({ to: event.currentTarget.value })}
      />
      {isFiltered && (
        <Button
          variant="subtle"
          size="sm"
          onClick={() => change({ search: "", actor: "", target: "", from: "", to: "" })}
        >
          {t("Clear filters")}
        </Button>
      )}
    </div>
  )
}

interface TextFilterProperties {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
}

function TextFilter({ label, value, onChange }: TextFilterProperties) {
  const [typed, setTyped] = useState(value)
  const [shown, setShown] = useState(value)
  const change = useDebouncedCallback(onChange, 300)
  // The value was changed outside this field, such as by "Show all".
  if (value !== shown) {
    setShown(value)
    setTyped(value)
  }
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        change(event.currentTarget.value)
      }}
    />
  )
}
