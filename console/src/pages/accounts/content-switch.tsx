import { Switch, Text } from "@mantine/core"
import { useState } from "react"
import type { Account } from "../../../../src/management/contract/accounts.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { Confirm } from "../../ui/confirm.tsx"

/** Whether prompts and answers of an account are kept. Asked for twice, since it concerns what people write. */
export function ContentSwitch({ account }: { readonly account: Account }) {
  const [isAsking, setAsking] = useState(false)
  const { stores_content: isStored } = account

  async function change() {
    await api.patch(`/accounts/${account.id}`, { stores_content: !isStored })
    await refresh("/accounts")
  }

  return (
    <>
      <Switch
        mt="md"
        label="Keep prompts and answers of its requests"
        description="Off is the rule: nothing that callers write is stored."
        checked={isStored}
        onChange={() => setAsking(true)}
      />
      <Confirm
        isOpen={isAsking}
        title={isStored ? "Stop keeping what is written?" : "Keep what people write?"}
        action={isStored ? "Stop keeping it" : "Keep prompts and answers"}
        isDangerous={!isStored}
        onConfirm={change}
        onClose={() => setAsking(false)}
      >
        {isStored ? (
          <Text size="sm">
            From now on nothing more is stored. What is stored already stays with its receipts.
          </Text>
        ) : (
          <Text size="sm">
            From now on every prompt and every answer of {account.name} is written to this gateway's
            disk, and everybody who may see its receipts can read them. Tell its members, and make
            sure that you may: it can be personal data.
          </Text>
        )}
      </Confirm>
    </>
  )
}
