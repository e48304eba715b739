import { SimpleGrid } from "@mantine/core"
import { MarginPanel } from "./margin-panel.tsx"
import { ProvidersPanel } from "./providers-panel.tsx"
import { RunningDryPanel, TopAccountsPanel } from "./account-panels.tsx"
import { SystemPanel } from "./system-panel.tsx"

/**
 * The operator's panels: spending, low balances, failing providers, margin, and the gateway itself.
 */
export function OperatorPanels() {
  return (
    <>
      <SimpleGrid cols={{ base: 1, lg: 2 }} className="unstretched">
        <TopAccountsPanel />
        <RunningDryPanel />
      </SimpleGrid>
      <MarginPanel />
      <SimpleGrid cols={{ base: 1, lg: 2 }} className="unstretched">
        <ProvidersPanel />
        <SystemPanel />
      </SimpleGrid>
    </>
  )
}
