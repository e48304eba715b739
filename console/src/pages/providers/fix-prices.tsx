import { Button, Group, Modal, Progress, Skeleton, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Model, Provider } from "tollgate-contract/catalog.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { counted } from "../../format/numbers.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { knownPriceEntry } from "../models/changed-entry.ts"
import { filterModels, modelPath } from "../models/filter-models.ts"
import { modelsQuery } from "../../api/models-query.ts"

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
      title={`Models from ${provider?.id ?? ""} without a price`}
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
        Requests for a model without a price are rejected. For {counted(fixable.length, "model")} of{" "}
        {unpriced.length} a list price is available
        {others > 0 && `; enter one for the other ${others}`}.
      </Text>
      {isBusy && (
        <Progress value={(done / Math.max(1, fixable.length)) * 100} aria-label="Prices set" />
      )}
      <ErrorNotice error={fault} />
      <Group justify="flex-end" gap="xs">
        {others > 0 && (
          <LinkButton to="/models" search={{ provider, priced: "false" }} variant="default">
            View them
          </LinkButton>
        )}
        <Button
          disabled={fixable.length === 0}
          loading={isBusy}
          onClick={async () => {
            if (await fix(fixable)) onClose()
          }}
        >
          Use list prices
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
      notifyDone(`${counted(models.length, "model")} can be called now.`)
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
