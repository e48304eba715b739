import { SimpleGrid } from "@mantine/core"
import { useState } from "react"
import { NO_KEY } from "tollgate-contract/tool-settings.ts"
import { TOOLS } from "tollgate-contract/tools.ts"
import { useAccount } from "../../account.tsx"
import { useModelsOfTools } from "../../api/first-model.ts"
import { LinkButton } from "../../ui/link-button.tsx"
import { ModelSelect } from "../../ui/model-select.tsx"
import { Page } from "../../ui/page.tsx"
import { ToolCards } from "../../ui/tool-cards.tsx"
import { PasswordField } from "../../ui/password-field.tsx"
import { t } from "../../languages/text.ts"

/**
 * The characters that keys may contain, including keys imported from other gateways. None of them has a special meaning
 * in a shell.
 */
const KEY = /^[\w.-]+$/

/** Shows the settings that tools need to call the gateway. */
export function ConnectPage() {
  const { may } = useAccount()
  const [typed, setTyped] = useState("")
  const [chosen, setChosen] = useState<string>()
  const suggested = useModelsOfTools(null)
  const key = typed.trim()
  const isKey = KEY.test(key)
  const modelsOf = chosen === undefined ? suggested : () => ({ model: chosen, smallModel: chosen })
  return (
    <Page
      title={t("Connect")}
      description={t("Set up your tools to call models through this gateway.")}
      actions={
        may("member") ? (
          <LinkButton to="/keys" search={{ create: "1" }}>
            {t("Create a key")}
          </LinkButton>
        ) : undefined
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} maw="48rem">
        <PasswordField
          label={t("Your key")}
          description={t("Filled in below. It stays on this page.")}
          placeholder={NO_KEY}
          autoComplete="off"
          value={typed}
          error={key === "" || isKey ? undefined : t("A key has no spaces or special characters")}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <ModelSelect
          label={t("Model")}
          description={t("The one your tools begin with.")}
          kinds={["chat"]}
          placeholder={t("Suited to each tool")}
          value={chosen ?? null}
          onChange={setChosen}
          onClear={() => setChosen(undefined)}
        />
      </SimpleGrid>
      <ToolCards tools={TOOLS} secret={isKey ? key : undefined} modelsOf={modelsOf} columns={2} />
    </Page>
  )
}
