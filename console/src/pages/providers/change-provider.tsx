import { Button, Group, Skeleton, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import type { Provider, Vendor } from "tollgate-contract/catalog.ts"
import { api } from "../../api/client.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormModal } from "../../ui/form-modal.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { changeOf, type TypedFields, typedOf } from "./provider-form.ts"
import { areComplete, typedKeysOf } from "./typed-keys.ts"
import { useProviderSave } from "./use-provider-save.ts"
import { VendorFields } from "./vendor-fields.tsx"
import { vendorsQuery } from "./vendors-query.ts"
import { t } from "../../languages/text.ts"

export interface ChangeProviderProperties {
  readonly provider: Provider | undefined
  readonly onClose: () => void
}

/** Changes a provider's settings. Secrets that are left empty stay unchanged. */
export function ChangeProvider({ provider, onClose }: ChangeProviderProperties) {
  const { data: vendors, error } = useQuery({ ...vendorsQuery, enabled: provider !== undefined })
  const vendor = vendors?.find(({ id }) => id === provider?.vendor)
  return (
    <FormModal
      opened={provider !== undefined}
      onClose={onClose}
      title={t("Change {id}", { id: provider?.id ?? "" })}
      size="lg"
    >
      <ErrorNotice error={error} />
      {provider !== undefined && vendor !== undefined && (
        <ChangeForm key={provider.id} provider={provider} vendor={vendor} onClose={onClose} />
      )}
      {vendors === undefined && error === null && <Skeleton height={160} />}
      {vendors !== undefined && vendor === undefined && (
        <Text size="sm">
          {t("This vendor is no longer known. Delete the provider and add it again.")}
        </Text>
      )}
    </FormModal>
  )
}

interface ChangeFormProperties {
  readonly provider: Provider
  readonly vendor: Vendor
  readonly onClose: () => void
}

function ChangeForm({ provider, vendor, onClose }: ChangeFormProperties) {
  const [fields, setFields] = useState<TypedFields>(() => typedOf(vendor, provider))
  const [keys, setKeys] = useState(() => typedKeysOf(provider))
  const { isBusy, errors, error, run } = useProviderSave(vendor.fields.map(({ name }) => name))

  async function save(event: FormEvent) {
    event.preventDefault()
    const change = { path: { id: provider.id }, body: changeOf(vendor, provider, { fields, keys }) }
    const saved = await run(() => api("PATCH /providers/{id}", change))
    if (saved === undefined) return
    notifyDone(t("{id} has been changed.", { id: provider.id }))
    onClose()
  }

  return (
    <form onSubmit={(event) => void save(event)}>
      <Stack gap="sm">
        <VendorFields
          vendor={vendor}
          typed={fields}
          errors={errors}
          set={provider.secrets}
          onChange={setFields}
          keys={keys}
          onKeys={setKeys}
        />
        <ErrorNotice error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button
            type="submit"
            loading={isBusy}
            disabled={keys !== undefined && !areComplete(keys)}
          >
            {t("Save")}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
