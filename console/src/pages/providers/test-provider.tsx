import { Modal } from "@mantine/core"
import type { Provider } from "tollgate-contract/catalog.ts"
import { TestPanel } from "./test-panel.tsx"
import { t } from "../../languages/text.ts"

export interface TestProviderProperties {
  readonly provider: Provider | undefined
  readonly onClose: () => void
}

/** Tests an existing provider. */
export function TestProvider({ provider, onClose }: TestProviderProperties) {
  return (
    <Modal
      opened={provider !== undefined}
      onClose={onClose}
      title={t("Test {id}", { id: provider?.id ?? "" })}
    >
      {provider !== undefined && (
        <TestPanel key={provider.id} provider={provider} onDone={onClose} />
      )}
    </Modal>
  )
}
