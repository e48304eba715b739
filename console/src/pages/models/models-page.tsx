import { Alert, Button, Center } from "@mantine/core"
import { IconBox, IconPlus } from "../../ui/icons.tsx"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useDeferredValue, useMemo, useState } from "react"
import type { Model } from "tollgate-contract/catalog.ts"
import { useAccount } from "../../account.tsx"
import { reliabilityQuery } from "../../api/reliability.ts"
import { useSession } from "../../session.tsx"
import { ColumnChoice, useChosenColumns } from "../../ui/column-choice.tsx"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { readSorting, type Sorting, sortingText } from "../../ui/sorting.ts"
import { AddModel } from "./add-model.tsx"
import { filterModels, type ModelFilters, providersOf } from "./filter-models.ts"
import { modelColumns } from "./model-columns.tsx"
import { ModelFilterBar } from "./model-filter-bar.tsx"
import { ModelDrawer } from "./model-drawer.tsx"
import { modelsQueryFor } from "../../api/models-query.ts"
import { PriceNotices } from "./newer-models.tsx"
import { sortModels } from "./sort-models.ts"
import { rich, t } from "../../languages/text.ts"

const route = getRouteApi("/signed-in/models")
const BY_NAME: Sorting = { by: "name", order: "asc" }
/** Number of rows shown at first, and added by each "Show more". A catalog may have a thousand models. */
const ROWS = 50
/** Rows that fit into a window are rendered immediately. The other rows are rendered after the page is shown. */
const FIRST_ROWS = 15

/** Lists all callable models with their properties and prices. */
export function ModelsPage() {
  const { is_operator: isOperator, shows_costs: showsCosts } = useSession()
  const { model: openId, sort, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: models, isPending, error, refetch } = useModels()
  const { rows, setRows, drawn } = useDrawnRows()
  const [isAdding, setAdding] = useState(false)
  const open = models?.find(({ id }) => id === openId)
  const { data: history } = useQuery(reliabilityQuery("model"))
  const columns = useMemo(() => modelColumns(show, history, showsCosts), [history, showsCosts])
  const chosen = useChosenColumns("models", columns)
  const sorting = useMemo(() => readSorting(sort, columns, BY_NAME), [sort, columns])
  const found = useFoundModels(models, filters, sorting)
  const providers = useMemo(() => providersOf(models ?? []), [models])

  function change(part: Partial<ReturnType<typeof route.useSearch>>) {
    void navigate({ search: (search) => ({ ...search, ...part }), replace: true })
  }

  function show(id: string | undefined) {
    change({ model: id })
  }

  return (
    <Page
      title={t("Models")}
      description={descriptionOf(showsCosts)}
      actions={
        isOperator && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
            {t("Add a model")}
          </Button>
        )
      }
    >
      {isOperator && <PriceNotices />}
      <Panel isFlush>
        <ModelFilterBar
          filters={filters}
          providers={providers}
          columnChoice={<ColumnChoice all={columns} chosen={chosen} />}
          count={models === undefined ? "" : countOf(found)}
          onChange={(part) => {
            setRows(ROWS)
            change(part)
          }}
        />
        <UnknownModel id={openId} models={models} onClose={() => show(undefined)} />
        {error !== null && <ErrorNotice error={error} retry={() => void refetch()} />}
        <DataTable
          label={t("Models")}
          columns={chosen.columns}
          rows={found.slice(0, drawn)}
          rowKey={(model) => model.id}
          isLoading={isPending}
          onRowClick={(model) => show(model.id)}
          minWidth={860}
          isDense
          sorting={sorting}
          onSort={(next) => change({ sort: sortingText(next) })}
          empty={error === null && <NoModels isEmpty={models?.length === 0} />}
        />
        <MoreRows left={found.length - rows} onMore={() => setRows(rows + ROWS)} />
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

function descriptionOf(showsCosts: boolean): string {
  return showsCosts
    ? t(
        "Available models and their prices, in credits per million units, including the multiplier.",
      )
    : t("Available models and their prices, in credits per million units.")
}

function countOf({ length: count }: readonly unknown[]): string {
  return t("{count, plural, one {# model} other {# models}}", { count })
}

function useDrawnRows() {
  const [rows, setRows] = useState(ROWS)
  return { rows, setRows, drawn: useDeferredValue(rows, FIRST_ROWS) }
}

/** Returns the models with default prices for operators, and with the member's own prices for members. */
function useModels() {
  const { is_operator: isOperator } = useSession()
  const { accountId } = useAccount()
  return useQuery(modelsQueryFor(isOperator ? undefined : accountId))
}

/** Filters and sorts the models only when the filters change, because there may be thousands of models. */
function useFoundModels(
  models: readonly Model[] | undefined,
  { search, kind, provider, priced, can }: ModelFilters,
  sorting: Sorting,
): readonly Model[] {
  return useMemo(() => {
    const found = filterModels(models ?? [], { search, kind, provider, priced, can })
    return sortModels(found, sorting)
  }, [models, search, kind, provider, priced, can, sorting])
}

interface UnknownModelProperties {
  readonly id: string | undefined
  readonly models: readonly Model[] | undefined
  readonly onClose: () => void
}

/** Reports a model in the address that does not exist. */
function UnknownModel({ id, models, onClose }: UnknownModelProperties) {
  if (id === undefined || models === undefined) return null
  if (models.some((model) => model.id === id)) return null
  return (
    <Alert
      color="yellow"
      variant="light"
      m="sm"
      withCloseButton
      closeButtonLabel={t("Close")}
      onClose={onClose}
      title={t("Model not found")}
    >
      {rich("No model has the ID {id}. Search for its name in the list.", {
        id: <span className="mono anywhere">{id}</span>,
      })}
    </Alert>
  )
}

function MoreRows({ left, onMore }: { readonly left: number; readonly onMore: () => void }) {
  if (left <= 0) return null
  return (
    <Center p="sm">
      <Button variant="default" size="xs" onClick={onMore}>
        {t("Show more ({left} left)", { left })}
      </Button>
    </Center>
  )
}

function NoModels({ isEmpty }: { readonly isEmpty: boolean }) {
  const { is_operator: isOperator } = useSession()
  if (!isEmpty) {
    return (
      <EmptyState icon={<IconBox size={22} />} title={t("No matching models")}>
        {t("Remove a filter or search for something else.")}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={<IconBox size={22} />}
      title={t("No models yet")}
      action={isOperator && <LinkButton to="/providers">{t("Add a provider")}</LinkButton>}
    >
      {isOperator
        ? t("Models are added with their provider.")
        : t("An operator must add a provider first.")}
    </EmptyState>
  )
}
