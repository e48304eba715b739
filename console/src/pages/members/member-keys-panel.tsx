import { Button, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { MemberKeyRules } from "tollgate-contract/member-keys.ts"
import { oneQuery } from "../../api/queries.ts"
import { creditsText } from "../../format/credits.ts"
import { joined } from "../../format/lists.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { Facts } from "../../ui/facts.tsx"
import { IconPencil } from "../../ui/icons.tsx"
import { Panel } from "../../ui/panel.tsx"
import { MAX_BUDGETS, MemberKeysModal } from "./member-keys-modal.tsx"
import { t } from "../../languages/text.ts"

interface MemberKeysPanelProperties {
  readonly account: string
  readonly mayChange: boolean
}

/** Shows which keys the members of an account may create. Owners change the rules. */
export function MemberKeysPanel({ account, mayChange }: MemberKeysPanelProperties) {
  const found = useQuery(oneQuery("GET /accounts/{id}/member-keys", { path: { id: account } }))
  const [isChanging, setChanging] = useState(false)
  const rules = found.data
  return (
    <Panel
      title={t("Keys of members")}
      description={t(
        "Which keys people with the role member may create. Owners are not restricted.",
      )}
      actions={
        mayChange &&
        rules !== undefined && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPencil size={14} />}
            onClick={() => setChanging(true)}
          >
            {t("Change the rules")}
          </Button>
        )
      }
    >
      <ErrorNotice error={found.error} retry={() => void found.refetch()} />
      {rules !== undefined && <Rules rules={rules} />}
      {rules !== undefined && (
        <MemberKeysModal
          account={account}
          rules={rules}
          isOpen={isChanging}
          onClose={() => setChanging(false)}
        />
      )}
    </Panel>
  )
}

function Rules({ rules }: { readonly rules: MemberKeyRules }) {
  if (!rules.may_create) {
    return <Text size="sm">{t("Members may not create keys.")}</Text>
  }
  const facts = [
    ...(rules.models === null ? [] : [{ label: t("Models"), value: joined(rules.models) }]),
    ...MAX_BUDGETS.flatMap(({ name, label }) => {
      const max = rules[name]
      return max === null
        ? []
        : [{ label, value: t("{amount} credits", { amount: creditsText(max) }) }]
    }),
  ]
  return facts.length === 0 ? (
    <Text size="sm" c="dimmed">
      {t("Members may create keys for all models and with any budget.")}
    </Text>
  ) : (
    <Facts facts={facts} />
  )
}
