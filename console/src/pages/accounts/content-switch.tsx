import { Switch, Text } from "@mantine/core"
import { useState } from "react"
import type { Account } from "tollgate-contract/accounts.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { Confirm } from "../../ui/confirm.tsx"
import { t } from "../../languages/text.ts"

/**
 * Sets whether prompts and responses of an account are stored. The change needs a confirmation, because the content is
 * private.
 */
export function ContentSwitch({ account }: { readonly account: Account }) {
  const [isAsking, setAsking] = useState(false)
  const { stores_content: isStored } = account

  async function change() {
    await api("PATCH /accounts/{id}", {
      path: { id: account.id },
      body: { stores_content: !isStored },
    })
    await refresh("/accounts")
  }

  return (
    <>
      <Switch
        mt="md"
        label={t("Store prompts and responses")}
        description={t("Off by default: nothing callers send is stored.")}
        checked={isStored}
        onChange={() => setAsking(true)}
      />
      <Confirm
        isOpen={isAsking}
        title={
          isStored ? t("Stop storing prompts and responses?") : t("Store prompts and responses?")
        }
        action={isStored ? t("Stop storing") : t("Store prompts and responses")}
        isDangerous={!isStored}
        onConfirm={change}
        onClose={() => setAsking(false)}
      >
        {isStored ? (
          <Text size="sm">
            {t("Nothing more is stored from now on. Stored content remains with its receipts.")}
          </Text>
        ) : (
          <Text size="sm">
            {t(
              "From now on, every prompt and response of {name} is written to this gateway's disk, where anyone who can see its receipts can read it. Tell its members, and make sure you are allowed to: it may be personal data.",
              { name: account.name },
            )}
          </Text>
        )}
      </Confirm>
    </>
  )
}
