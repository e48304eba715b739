import "./providers.css"
import { Button, Group } from "@mantine/core"
import { IconPlugConnected, IconPlus } from "../../ui/icons.tsx"
import { useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import type { Provider } from "tollgate-contract/catalog.ts"
import { api } from "../../api/client.ts"
import { reliabilityQuery } from "../../api/reliability.ts"
import { refresh } from "../../api/refresh.ts"
import { usePages } from "../../api/use-pages.ts"
import { Confirm } from "../../ui/confirm.tsx"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { AddProvider } from "./add-provider.tsx"
import { ChangeProvider } from "./change-provider.tsx"
import { FixPrices } from "./fix-prices.tsx"
import { providerColumns } from "./provider-columns.tsx"
import { ReconciliationsPanel } from "./reconciliations-panel.tsx"
import { TestAll } from "./test-all.tsx"
import { TestProvider } from "./test-provider.tsx"
import { t } from "../../languages/text.ts"

/** A task that an operator performs for one provider. */
export interface ProviderTask {
  readonly name: "change" | "test" | "prices" | "delete"
  readonly provider: Provider
}

/** Lists the configured providers, with their keys. */
export function ProvidersPage() {
  const providers = usePages("GET /providers", {}, { refetchInterval: 15_000 })
  const [isAdding, setAdding] = useState(false)
  const [isTestingAll, setTestingAll] = useState(false)
  const [task, setTask] = useState<ProviderTask>()
  const { data: history } = useQuery(reliabilityQuery("provider"))
  const columns = useMemo(() => providerColumns(setTask, history), [history])
  const addButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {t("Add a provider")}
    </Button>
  )

  return (
    <Page
      title={t("Providers")}
      description={t(
        "The vendors this gateway calls, and the keys it uses. Keys are encrypted on disk and never shown again.",
      )}
      actions={
        <Group gap="xs">
          {providers.items.length > 1 && (
            <Button
              variant="default"
              leftSection={<IconPlugConnected size={16} />}
              onClick={() => setTestingAll(true)}
            >
              {t("Test all")}
            </Button>
          )}
          {addButton}
        </Group>
      }
    >
      <Panel isFlush>
        {providers.error !== null && (
          <ErrorNotice error={providers.error} retry={providers.retry} />
        )}
        <DataTable
          label={t("Providers")}
          columns={columns}
          rows={providers.items}
          rowKey={(provider) => provider.id}
          isLoading={providers.isLoading}
          minWidth={900}
          empty={
            providers.error === null && (
              <EmptyState
                icon={<IconPlugConnected size={22} />}
                title={t("No providers yet")}
                action={addButton}
              >
                {t("Add one with its key to get its models and list prices.")}
              </EmptyState>
            )
          }
        />
        <MoreButton pages={providers} />
      </Panel>
      <ReconciliationsPanel />
      <AddProvider isOpen={isAdding} onClose={() => setAdding(false)} />
      <TestAll
        isOpen={isTestingAll}
        providers={providers.items}
        onClose={() => setTestingAll(false)}
      />
      <Tasks task={task} onClose={() => setTask(undefined)} />
    </Page>
  )
}

interface TasksProperties {
  readonly task: ProviderTask | undefined
  readonly onClose: () => void
}

function Tasks({ task, onClose }: TasksProperties) {
  const of = (name: ProviderTask["name"]) => (task?.name === name ? task.provider : undefined)
  const deleted = of("delete")

  async function remove() {
    if (deleted === undefined) return
    await api("DELETE /providers/{id}", { path: { id: deleted.id } })
    await refresh("/providers", "/models")
    notifyDone(t("{id} has been deleted.", { id: deleted.id }))
  }

  return (
    <>
      <ChangeProvider provider={of("change")} onClose={onClose} />
      <TestProvider provider={of("test")} onClose={onClose} />
      <FixPrices provider={of("prices")} onClose={onClose} />
      <Confirm
        isOpen={deleted !== undefined}
        title={t("Delete {id}?", { id: deleted?.id ?? "" })}
        action={t("Delete the provider")}
        onConfirm={remove}
        onClose={onClose}
      >
        {t(
          "Its key is erased, and its models can no longer be called. Receipts of past requests stay.",
        )}
      </Confirm>
    </>
  )
}
