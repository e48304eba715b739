import { Select } from "@mantine/core"
import type { ReactNode } from "react"
import { MODEL_KIND_NAMES } from "tollgate-contract/model-kinds.ts"
import { Search } from "../../ui/search.tsx"
import { CAPABILITIES } from "./capabilities.ts"
import { GROUP, type ModelFilters } from "./filter-models.ts"
import { t } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"

const KINDS = [...MODEL_KIND_NAMES, GROUP].map((kind) => ({ value: kind, label: word(kind) }))
const PRICED = [
  { value: "true", label: t("With a price") },
  { value: "false", label: t("Without a price") },
]

export interface ModelFilterBarProperties {
  readonly filters: ModelFilters
  readonly providers: readonly string[]
  readonly count: string
  readonly columnChoice: ReactNode
  readonly onChange: (part: ModelFilters) => void
}

/** The filters of the model list. */
export function ModelFilterBar({
  filters,
  providers,
  count,
  columnChoice,
  onChange,
}: ModelFilterBarProperties) {
  return (
    <div className="filters panel-filters">
      <Search
        label={t("Search models")}
        value={filters.search ?? ""}
        onChange={(search) => onChange({ search: search === "" ? undefined : search })}
      />
      <Select
        aria-label={t("Type")}
        placeholder={t("Any type")}
        clearable
        data={KINDS}
        value={filters.kind ?? null}
        onChange={(kind) => onChange({ kind: kind ?? undefined })}
      />
      <Select
        aria-label={t("Provider")}
        placeholder={t("Any provider")}
        clearable
        searchable
        data={[...providers]}
        value={filters.provider ?? null}
        onChange={(provider) => onChange({ provider: provider ?? undefined })}
      />
      <Select
        aria-label={t("Price")}
        placeholder={t("Any price")}
        clearable
        data={PRICED}
        value={filters.priced ?? null}
        onChange={(priced) => onChange({ priced: priced ?? undefined })}
      />
      <Select
        aria-label={t("Capability")}
        placeholder={t("Any capability")}
        clearable
        data={[...CAPABILITIES]}
        value={filters.can ?? null}
        onChange={(can) => onChange({ can: can ?? undefined })}
      />
      {columnChoice}
      <span className="dim filters-wide" role="status">
        {count === "" ? "\u00a0" : count}
      </span>
    </div>
  )
}
