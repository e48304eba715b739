import { Button, Center, Group, Select } from "@mantine/core"
import { IconBox, IconPlus } from "../../ui/icons.tsx"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { reliabilityQuery } from "../../api/reliability.ts"
import { counted } from "../../format/numbers.ts"
import { useSession } from "../../session.tsx"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { Search } from "../../ui/search.tsx"
import { AddModel } from "./add-model.tsx"
import { filterModels, type ModelFilters, providersOf } from "./filter-models.ts"
import { modelColumns } from "./model-columns.tsx"
import { ModelDrawer } from "./model-drawer.tsx"
import { modelsQuery } from "./models-query.ts"
import { NewerPrices } from "./newer-prices.tsx"

const route = getRouteApi("/signed-in/models")
const KINDS = ["chat", "embedding", "rerank", "image", "speech", "transcription"]
const PRICED = [
  { value: "true", label: "With a price" },
  { value: "false", label: "Without a price" },
]
/** Rows at first and with each "Show more": a catalog may have a thousand. */
const ROWS = 50

/** Every model that can be called, what it is and what it costs. */
export function ModelsPage() {
  const { is_operator: isOperator } = useSession()
  const { model: openId, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: models, isPending, error, refetch } = useQuery(modelsQuery)
  const [rows, setRows] = useState(ROWS)
  const [isAdding, setAdding] = useState(false)
  const found = useMemo(() => filterModels(models ?? [], filters), [models, filters])
  const open = models?.find(({ id }) => id === openId)
  const { data: history } = useQuery(reliabilityQuery("model"))
  const columns = useMemo(() => modelColumns(show, history), [history])

  function change(part: ModelFilters & { readonly model?: string | undefined }) {
    void navigate({ search: (search) => ({ ...search, ...part }), replace: true })
  }

  function show(id: string | undefined) {
    change({ model: id })
  }

  return (
    <Page
      title="Models"
      description="Available models and their prices, in credits per million units, including the multiplier."
      actions={
        isOperator && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
            Add a model
          </Button>
        )
      }
    >
      {isOperator && <NewerPrices />}
      <Panel isFlush>
        <Filters
          filters={filters}
          providers={providersOf(models ?? [])}
          count={models === undefined ? "" : counted(found.length, "model")}
          onChange={(part) => {
            setRows(ROWS)
            change(part)
          }}
        />
        {error !== null && <ErrorNotice error={error} retry={() => void refetch()} />}
        <DataTable
          label="Models"
          columns={columns}
          rows={found.slice(0, rows)}
          rowKey={(model) => model.id}
          isLoading={isPending}
          onRowClick={(model) => show(model.id)}
          minWidth={860}
          empty={error === null && <NoModels isEmpty={models?.length === 0} />}
        />
        {found.length > rows && (
          <Center p="sm">
            <Button variant="default" size="xs" onClick={() => setRows(rows + ROWS)}>
              Show more ({found.length - rows} left)
            </Button>
          </Center>
        )}
      </Panel>
      <ModelDrawer
        model={open}
        history={openId === undefined ? undefined : history?.get(openId)}
        onClose={() => show(undefined)}
      />
      {isOperator && <AddModel isOpen={isAdding} onClose={() => setAdding(false)} onAdded={show} />}
    </Page>
  )
}

interface FiltersProperties {
  readonly filters: ModelFilters
  readonly providers: readonly string[]
  readonly count: string
  readonly onChange: (part: ModelFilters) => void
}

function Filters({ filters, providers, count, onChange }: FiltersProperties) {
  return (
    <Group gap="xs" p="md" pb="xs">
      <Search
        label="Search models"
        value={filters.search ?? ""}
        onChange={(search) => onChange({ search: search === "" ? undefined : search })}
      />
      <Select
        aria-label="Kind"
        placeholder="Any type"
        clearable
        w={150}
        data={KINDS}
        value={filters.kind ?? null}
        onChange={(kind) => onChange({ kind: kind ?? undefined })}
      />
      <Select
        aria-label="Provider"
        placeholder="Any provider"
        clearable
        searchable
        w={170}
        data={[...providers]}
        value={filters.provider ?? null}
        onChange={(provider) => onChange({ provider: provider ?? undefined })}
      />
      <Select
        aria-label="Price"
        placeholder="Any price"
        clearable
        w={160}
        data={PRICED}
        value={filters.priced ?? null}
        onChange={(priced) => onChange({ priced: priced ?? undefined })}
      />
      <span className="dim" role="status">
        {count}
      </span>
    </Group>
  )
}

function NoModels({ isEmpty }: { readonly isEmpty: boolean }) {
  const { is_operator: isOperator } = useSession()
  if (!isEmpty) {
    return (
      <EmptyState icon={<IconBox size={22} />} title="No matching models">
        Remove a filter or search for something else.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={<IconBox size={22} />}
      title="No models yet"
      action={isOperator && <LinkButton to="/providers">Add a provider</LinkButton>}
    >
      {isOperator
        ? "Models are added with their provider."
        : "An operator must add a provider first."}
    </EmptyState>
  )
}
