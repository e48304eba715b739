import { Button, Group, NumberInput, Select, Stack, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import type { Model, ModelEntry } from "tollgate-contract/catalog.ts"
import { MODEL_KIND_NAMES } from "tollgate-contract/model-kinds.ts"
import { multiplierDoubt } from "tollgate-contract/amounts.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { oneQuery } from "../../api/queries.ts"
import { useAskFirst } from "../../ui/ask-first.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormModal } from "../../ui/form-modal.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { multiplierQuestion } from "../credits/large-amount.ts"
import { modelPath } from "./filter-models.ts"
import { PriceFields } from "./price-fields.tsx"
import { readPrices, type TypedPrices } from "./read-prices.ts"
import { decimalFault, readPrice } from "./prices.ts"
import { t } from "../../languages/text.ts"
import { SEPARATORS } from "../../format/numbers.ts"
import { word } from "../../languages/words.ts"

export interface AddModelProperties {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onAdded: (id: string) => void
}

/** Adds a provider's model that is not in the list of known models. */
export function AddModel({ isOpen, onClose, onAdded }: AddModelProperties) {
  return (
    <FormModal opened={isOpen} onClose={onClose} title={t("Add a model")} size="lg">
      <AddModelForm
        onAdded={(id) => {
          onClose()
          onAdded(id)
        }}
      />
    </FormModal>
  )
}

interface Draft {
  readonly provider: string | null
  readonly name: string
  readonly kind: Model["kind"]
  readonly prices: TypedPrices
  readonly multiplier: string
  readonly context: number | null
  readonly maxOutput: number | null
}

const EMPTY: Draft = {
  provider: null,
  name: "",
  kind: "chat",
  prices: {},
  multiplier: "1",
  context: null,
  maxOutput: null,
}

function AddModelForm({ onAdded }: { readonly onAdded: (id: string) => void }) {
  const providers = useQuery(oneQuery("GET /providers", { query: { limit: 200 } }))
  const [draft, setDraft] = useState<Draft>(EMPTY)
  const { ask, dialog } = useAskFirst()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const entry = entryOf(draft)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (entry === undefined) return
    ask(multiplierQuestion(multiplierDoubt(entry.multiplier ?? "1", t)), () => add(entry))
  }

  async function add(entry: ModelEntry) {
    const id = `${draft.provider ?? ""}/${draft.name.trim()}`
    setBusy(true)
    setError(null)
    try {
      await api("PUT /models/{provider}/{name...}", { path: modelPath(id), body: entry })
      await refresh("/models")
      notifyDone(t("{id} has been added.", { id }))
      onAdded(id)
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Select
            label={t("Provider")}
            required
            data={(providers.data?.data ?? []).map(({ id }) => id)}
            value={draft.provider}
            onChange={(provider) => setDraft({ ...draft, provider })}
            searchable
            error={providers.error?.message}
          />
          <TextInput
            label={t("Name")}
            description={t("The vendor's name for it.")}
            required
            value={draft.name}
            error={/\s/.test(draft.name.trim()) ? t("must not contain spaces") : undefined}
            onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
          />
          <MoreFields draft={draft} onChange={(part) => setDraft({ ...draft, ...part })} />
          <ErrorNotice error={error} />
          <Group justify="flex-end">
            <Button type="submit" loading={isBusy} disabled={entry === undefined}>
              {t("Add the model")}
            </Button>
          </Group>
        </Stack>
      </form>
      {dialog}
    </>
  )
}

interface MoreFieldsProperties {
  readonly draft: Draft
  readonly onChange: (part: Partial<Draft>) => void
}

function MoreFields({ draft, onChange }: MoreFieldsProperties) {
  return (
    <>
      <Select
        label={t("Kind")}
        data={MODEL_KIND_NAMES.map((name) => ({ value: name, label: word(name) }))}
        value={draft.kind}
        allowDeselect={false}
        onChange={(kind) =>
          onChange({ kind: MODEL_KIND_NAMES.find((known) => known === kind) ?? "chat" })
        }
      />
      <PriceFields
        kind={draft.kind}
        typed={draft.prices}
        onChange={(prices) => onChange({ prices })}
      />
      <Group gap="sm" grow align="flex-start">
        <TextInput
          label={t("Multiplier")}
          inputMode="decimal"
          value={draft.multiplier}
          error={decimalFault(draft.multiplier)}
          onChange={(event) => onChange({ multiplier: event.currentTarget.value })}
        />
        <NumberInput
          label={t("Context")}
          placeholder={t("unknown")}
          min={1}
          allowDecimal={false}
          thousandSeparator={SEPARATORS.group}
          value={draft.context ?? ""}
          onChange={(value) => onChange({ context: typeof value === "number" ? value : null })}
        />
        <NumberInput
          label={t("Maximum output")}
          placeholder={t("unknown")}
          min={1}
          allowDecimal={false}
          thousandSeparator={SEPARATORS.group}
          value={draft.maxOutput ?? ""}
          onChange={(value) => onChange({ maxOutput: typeof value === "number" ? value : null })}
        />
      </Group>
    </>
  )
}

/**
 * Builds the request body; undefined while the form is incomplete. The gateway would reject a model without a price.
 */
function entryOf(draft: Draft): ModelEntry | undefined {
  const price = readPrices(draft.prices)
  const multiplier = readPrice(draft.multiplier)
  const isNamed = draft.provider !== null && /^\S+$/.test(draft.name.trim())
  if (price === undefined || multiplier === undefined || !isNamed) return undefined
  return {
    kind: draft.kind,
    price,
    multiplier,
    ...(draft.context !== null && { context: draft.context }),
    ...(draft.maxOutput !== null && { max_output: draft.maxOutput }),
  }
}
