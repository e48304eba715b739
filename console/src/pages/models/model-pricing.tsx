import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core"
import { IconBolt, IconLock } from "../../ui/icons.tsx"
import { useState } from "react"
import { multiplierDoubt } from "tollgate-contract/amounts.ts"
import type { Model, ModelEntry } from "tollgate-contract/catalog.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { useAskFirst } from "../../ui/ask-first.tsx"
import { Confirm } from "../../ui/confirm.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { multiplierQuestion } from "../credits/large-amount.ts"
import { changedEntry, knownPriceEntry } from "./changed-entry.ts"
import { modelPath } from "./filter-models.ts"
import { PriceFields } from "./price-fields.tsx"
import { type TypedPrices, typedPrices } from "./read-prices.ts"
import { decimalFault, priceWords, readPrice } from "./prices.ts"
import { t } from "../../languages/text.ts"

/** Lets an operator change the price and the multiplier of a model. */
export function ModelPricing({ model }: { readonly model: Model }) {
  const { save, takeBack, isBusy, error } = useModelChange(model)
  const [isEditing, setEditing] = useState(false)
  const [isAsking, setAsking] = useState(false)
  if (model.is_locked) {
    return (
      <Alert
        mt="sm"
        variant="light"
        color="gray"
        icon={<IconLock />}
        title={t("Set in tollgate.yaml")}
      >
        {t("Change it there. It takes effect without a restart.")}
      </Alert>
    )
  }
  return (
    <Stack gap="sm" mt="sm">
      <ErrorNotice error={error} />
      <KnownPrice model={model} isBusy={isBusy} onUse={(entry) => void save(entry)} />
      {isEditing ? (
        <PriceForm
          model={model}
          isBusy={isBusy}
          onCancel={() => setEditing(false)}
          onSave={async (entry) => {
            if (await save(entry)) setEditing(false)
          }}
        />
      ) : (
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => setEditing(true)}>
            {t("Set price and multiplier")}
          </Button>
          {model.origin === "console" && (
            <Button size="xs" variant="subtle" color="red" onClick={() => setAsking(true)}>
              {t("Reset to default")}
            </Button>
          )}
        </Group>
      )}
      <Confirm
        isOpen={isAsking}
        title={t("Reset to default?")}
        action={t("Reset")}
        onConfirm={takeBack}
        onClose={() => setAsking(false)}
      >
        {t(
          "The price, multiplier and everything else this console set for {id} are removed, and the values from other sources apply again. A model defined only in the console disappears.",
          { id: model.id },
        )}
      </Confirm>
    </Stack>
  )
}

function useModelChange(model: Model) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)

  async function save(entry: ModelEntry): Promise<boolean> {
    setBusy(true)
    setError(null)
    try {
      await api("PUT /models/{provider}/{name...}", { path: modelPath(model.id), body: entry })
      await refresh("/models", "/providers")
      notifyDone(t("The price of {id} has been changed.", { id: model.id }))
      return true
    } catch (thrown) {
      setError(thrown)
      return false
    } finally {
      setBusy(false)
    }
  }

  async function takeBack(): Promise<void> {
    await api("DELETE /models/{provider}/{name...}", { path: modelPath(model.id) })
    await refresh("/models", "/providers")
  }

  return { save, takeBack, isBusy, error }
}

interface KnownPriceProperties {
  readonly model: Model
  readonly isBusy: boolean
  readonly onUse: (entry: ModelEntry) => void
}

function KnownPrice({ model, isBusy, onUse }: KnownPriceProperties) {
  const entry = knownPriceEntry(model)
  if (entry === undefined) return null
  const { known_entry: known } = model
  return (
    <Alert variant="light" icon={<IconBolt />} title={t("A list price is available")}>
      <Text size="sm">
        {t("{price} credits per million.", { price: priceWords(entry.price ?? {}) })}
        {known !== null && <> {t("Source: {source}.", { source: known.source })}</>}
      </Text>
      <Button size="compact-sm" mt="xs" loading={isBusy} onClick={() => onUse(entry)}>
        {t("Use the list price")}
      </Button>
    </Alert>
  )
}

interface PriceFormProperties {
  readonly model: Model
  readonly isBusy: boolean
  readonly onSave: (entry: ModelEntry) => Promise<void>
  readonly onCancel: () => void
}

function PriceForm({ model, isBusy, onSave, onCancel }: PriceFormProperties) {
  const [typed, setTyped] = useState<TypedPrices>(typedPrices(model))
  const [factor, setFactor] = useState(model.multiplier)
  const { ask, dialog } = useAskFirst()
  const multiplier = readPrice(factor)
  const entry = multiplier === undefined ? undefined : changedEntry(model, { typed, multiplier })
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (entry === undefined || multiplier === undefined) return
          // An unchanged multiplier needs no confirmation.
          const doubt = multiplier === model.multiplier ? undefined : multiplierDoubt(multiplier, t)
          ask(multiplierQuestion(doubt), () => onSave(entry))
        }}
      >
        <Stack gap="sm">
          <PriceFields kind={model.kind} typed={typed} onChange={setTyped} />
          {(model.price_tiers.length > 0 || model.price_images !== null) && (
            <Text size="xs" c="dimmed">
              {t(
                "Its other prices, such as those for long requests or image sizes, are not affected.",
              )}
            </Text>
          )}
          {model.price_periods.length > 0 && (
            <Text size="xs" c="dimmed">
              {t(
                "These prices apply outside of its periods. The periods keep their own prices. To change a period, use the API or tollgate.yaml.",
              )}
            </Text>
          )}
          <TextInput
            label={t("Multiplier")}
            description={t("Multiplies the price: 1.2 adds 20%.")}
            inputMode="decimal"
            value={factor}
            error={decimalFault(factor)}
            onChange={(event) => setFactor(event.currentTarget.value)}
          />
          <Group gap="xs">
            <Button type="submit" size="xs" loading={isBusy} disabled={entry === undefined}>
              {t("Save")}
            </Button>
            <Button size="xs" variant="default" onClick={onCancel}>
              {t("Cancel")}
            </Button>
            {entry === undefined && (
              <Text size="xs" c="dimmed">
                {t("Enter at least one price.")}
              </Text>
            )}
          </Group>
        </Stack>
      </form>
      {dialog}
    </>
  )
}
