import { Button, Group, Modal, Progress, Skeleton, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Model, Provider } from "tollgate-contract/catalog.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { knownPriceEntry } from "../models/changed-entry.ts"
import { filterModels, modelPath } from "../models/filter-models.ts"
import { modelsQuery } from "../../api/models-query.ts"
import { t } from "../../languages/text.ts"

export interface FixPricesProperties {
  readonly provider: Provider | undefined
  readonly onClose: () => void
}

/** Sets the known prices for those models of a provider that have no price. */
export function FixPrices({ provider, onClose }: FixPricesProperties) {
  return (
    <Modal
      opened={provider !== undefined}
      onClose={onClose}
      title={t("Models from {id} without a price", { id: provider?.id ?? "" })}
    >
      {provider !== undefined && <FixForm provider={provider.id} onClose={onClose} />}
    </Modal>
  )
}

interface FixFormProperties {
  readonly provider: string
  readonly onClose: () => void
}

function FixForm({ provider, onClose }: FixFormProperties) {
  const { data: models, error, refetch } = useQuery(modelsQuery)
  const { fix, done, isBusy, error: fault } = useFix()
  if (models === undefined) {
    return error === null ? (
      <Skeleton height={120} />
    ) : (
      <ErrorNotice error={error} retry={() => void refetch()} />
    )
  }
  const unpriced = filterModels(models, { provider, priced: "false" })
  const fixable = unpriced.filter(
    (model) => knownPriceEntry(model) !== undefined && !model.is_locked,
  )
  const others = unpriced.length - fixable.length
  return (
    <Stack gap="sm">
      <Text size="sm">
        {t(
          "Requests for a model without a price are rejected. For {count, plural, one {# model} other {# models}} of {total} a list price is available{others, plural, =0 {} other {; enter one for the other {others}}}.",
          { count: fixable.length, total: unpriced.length, others },
        )}
      </Text>
      {isBusy && (
        <Progress value={(done / Math.max(1, fixable.length)) * 100} aria-label={t("Prices set")} />
      )}
      <ErrorNotice error={fault} />
      <Group justify="flex-end" gap="xs">
        {others > 0 && (
          <LinkButton to="/models" search={{ provider, priced: "false" }} variant="default">
            {t("View them")}
          </LinkButton>
        )}
        <Button
          disabled={fixable.length === 0}
          loading={isBusy}
          onClick={async () => {
            if (await fix(fixable)) onClose()
          }}
        >
          {t("Use list prices")}
        </Button>
      </Group>
    </Stack>
  )
}

function useFix() {
  const [done, setDone] = useState(0)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)

  async function fix(models: readonly Model[]): Promise<boolean> {
    setBusy(true)
    setError(null)
    setDone(0)
    try {
      for (const [index, model] of models.entries()) {
        const entry = knownPriceEntry(model)
        if (entry !== undefined) {
          await api("PUT /models/{provider}/{name...}", { path: modelPath(model.id), body: entry })
        }
        setDone(index + 1)
      }
      notifyDone(
        t("{count, plural, one {# model} other {# models}} can be called now.", {
          count: models.length,
        }),
      )
      return true
    } catch (thrown) {
      setError(thrown)
      return false
    } finally {
      setBusy(false)
      await refresh("/models", "/providers")
    }
  }

  return { fix, done, isBusy, error }
}
