import { Button, Checkbox, Group, Stack, TextInput } from "@mantine/core"
import { type FormEvent, useState } from "react"
import type { Provider, Vendor } from "tollgate-contract/catalog.ts"
import { api } from "../../api/client.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { entryOf, freeId, idFault, missingFields, type TypedFields } from "./provider-form.ts"
import { areComplete, type TypedKey } from "./typed-keys.ts"
import { useProviderSave } from "./use-provider-save.ts"
import { VendorFields } from "./vendor-fields.tsx"
import { t } from "../../languages/text.ts"

export interface NewProviderFormProperties {
  readonly vendor: Vendor
  /** Ids of existing providers. */
  readonly taken: readonly string[]
  readonly onBack: () => void
  readonly onAdded: (provider: Provider) => void
}

/** Shows the fields that a vendor needs, and the field for the id of the new provider. */
export function NewProviderForm({ vendor, taken, onBack, onAdded }: NewProviderFormProperties) {
  const [id, setId] = useState(() => freeId(vendor.id, taken))
  const [fields, setFields] = useState<TypedFields>({})
  const [keys, setKeys] = useState<readonly TypedKey[]>()
  const [isKnown, setKnown] = useState(true)
  const { isBusy, errors, error, run } = useProviderSave([
    "id",
    ...vendor.fields.map(({ name }) => name),
  ])
  const missing = missingFields(vendor, { fields, keys })

  async function add(event: FormEvent) {
    event.preventDefault()
    const entry = { ...entryOf(vendor, { fields, keys }), ...(!isKnown && { known_models: false }) }
    const provider = await run((idempotencyKey) =>
      api("POST /providers", { body: { id, vendor: vendor.id, ...entry } }, { idempotencyKey }),
    )
    if (provider !== undefined) onAdded(provider)
  }

  return (
    <form onSubmit={(event) => void add(event)}>
      <Stack gap="sm">
        <TextInput
          label={t("Provider name")}
          description={t("The first part of its model IDs: {id}/…", { id })}
          required
          value={id}
          error={errors["id"] ?? idFault(id, taken)}
          onChange={(event) => setId(event.currentTarget.value)}
        />
        <VendorFields
          vendor={vendor}
          typed={fields}
          errors={errors}
          onChange={setFields}
          keys={keys}
          onKeys={setKeys}
        />
        <Checkbox
          label={t("Add its known models at list prices")}
          checked={isKnown}
          onChange={(event) => setKnown(event.currentTarget.checked)}
        />
        <ErrorNotice
          error={error}
          unknownTitle={t("The provider may or may not have been added")}
        />
        <Group justify="space-between">
          <Button variant="default" onClick={onBack}>
            {t("Back")}
          </Button>
          <Button
            type="submit"
            loading={isBusy}
            disabled={
              missing.length > 0 ||
              idFault(id, taken) !== undefined ||
              (keys !== undefined && !areComplete(keys))
            }
          >
            {t("Add and test")}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
