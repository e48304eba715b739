import { Button, Stack } from "@mantine/core"
import { useState } from "react"
import { signInWithPasskey } from "../../passkeys.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { t } from "../../languages/text.ts"

/** Signs in without an email address, a password or a code. */
export function PasskeyButton({ onDone }: { readonly onDone: () => Promise<void> }) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)

  async function signIn() {
    setBusy(true)
    setError(null)
    try {
      await signInWithPasskey()
      await onDone()
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Stack gap="xs">
      <Button variant="default" loading={isBusy} onClick={() => void signIn()}>
        {t("Sign in with a passkey")}
      </Button>
      <ErrorNotice error={error} title={t("Could not sign in")} />
    </Stack>
  )
}
