import { TextInput } from "@mantine/core"
import { useState } from "react"
import { api } from "../../api/client.ts"
import { useSession } from "../../session.tsx"
import { type SettingsTestProperties, TestRun } from "./settings-test.tsx"
import { t } from "../../languages/text.ts"

/** Sends a test email to an address, by default the operator's own. */
export function MailTest({ hasChanges }: SettingsTestProperties) {
  const { user } = useSession()
  const [address, setAddress] = useState(user?.email ?? "")
  return (
    <TestRun
      label={t("Send a test email")}
      hasChanges={hasChanges}
      isReady={address.trim() !== ""}
      run={() => api("POST /settings/email/test", { body: { address: address.trim() } })}
    >
      <TextInput
        flex={1}
        type="email"
        label={t("Recipient of the test")}
        value={address}
        // Enter must not submit the form of the settings.
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        onChange={(event) => setAddress(event.currentTarget.value)}
      />
    </TestRun>
  )
}
