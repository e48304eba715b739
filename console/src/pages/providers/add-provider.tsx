import { Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Provider, Vendor } from "tollgate-contract/catalog.ts"
import { oneQuery } from "../../api/queries.ts"
import { NewProviderForm } from "./new-provider-form.tsx"
import { TestPanel } from "./test-panel.tsx"
import { VendorChoice } from "./vendor-choice.tsx"
import { FormModal } from "../../ui/form-modal.tsx"
import { t } from "../../languages/text.ts"

export interface AddProviderProperties {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Adds a provider in three steps: vendor, key and test. */
export function AddProvider({ isOpen, onClose }: AddProviderProperties) {
  return (
    <FormModal opened={isOpen} onClose={onClose} title={t("Add a provider")} size="lg">
      <Steps onClose={onClose} />
    </FormModal>
  )
}

function Steps({ onClose }: { readonly onClose: () => void }) {
  const [vendor, setVendor] = useState<Vendor>()
  const [provider, setProvider] = useState<Provider>()
  const known = useQuery(oneQuery("GET /providers", { query: { limit: 200 } }))
  const taken = (known.data?.data ?? []).map(({ id }) => id)

  if (vendor === undefined) {
    return (
      <>
        <StepName number={1} name={t("Choose a vendor")} />
        <VendorChoice onChoose={setVendor} />
      </>
    )
  }
  if (provider === undefined) {
    return (
      <>
        <StepName number={2} name={t("How to reach {name}", { name: vendor.name })} />
        <NewProviderForm
          vendor={vendor}
          taken={taken}
          onBack={() => setVendor(undefined)}
          onAdded={setProvider}
        />
      </>
    )
  }
  return (
    <>
      <StepName number={3} name={t("Test the connection")} />
      <TestPanel provider={provider} isNew onDone={onClose} />
    </>
  )
}

function StepName({ number, name }: { readonly number: number; readonly name: string }) {
  return (
    <Text size="sm" c="dimmed" mb="sm" role="status">
      {t("Step {number} of 3: {name}", { number, name })}
    </Text>
  )
}
