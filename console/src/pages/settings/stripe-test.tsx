import { api } from "../../api/client.ts"
import { type SettingsTestProperties, TestRun } from "./settings-test.tsx"
import { t } from "../../languages/text.ts"

/** Checks the secret key of Stripe. */
export function StripeTest({ hasChanges }: SettingsTestProperties) {
  return (
    <TestRun
      label={t("Check the key at Stripe")}
      hasChanges={hasChanges}
      run={() => api("POST /settings/stripe/test", {})}
    />
  )
}
