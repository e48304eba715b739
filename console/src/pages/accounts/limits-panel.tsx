import { Button, Text } from "@mantine/core"
import { useState } from "react"
import type { Account } from "tollgate-contract/accounts.ts"
import { Facts } from "../../ui/facts.tsx"
import { IconPencil } from "../../ui/icons.tsx"
import { Panel } from "../../ui/panel.tsx"
import { limitTexts } from "./limit-values.ts"
import { LimitsModal } from "./limits-modal.tsx"
import { t } from "../../languages/text.ts"

/** Shows the limits for all keys of an account together. Each key's own limits apply as well. */
export function LimitsPanel({ account }: { readonly account: Account }) {
  const [isChanging, setChanging] = useState(false)
  const limits = limitTexts(account)
  return (
    <Panel
      title={t("Limits")}
      description={t("For all its keys together. Each key's own limits apply as well.")}
      actions={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPencil size={14} />}
          onClick={() => setChanging(true)}
        >
          {t("Change the limits")}
        </Button>
      }
    >
      {limits.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t("No limits. The account can spend all of its credits.")}
        </Text>
      ) : (
        <Facts facts={limits} />
      )}
      <LimitsModal account={account} isOpen={isChanging} onClose={() => setChanging(false)} />
    </Panel>
  )
}
