import { Alert, Button, Stack, Text } from "@mantine/core"
import { useRouter } from "@tanstack/react-router"
import { useState } from "react"
import { api } from "../../api/client.ts"
import { endSession } from "../../session.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { t } from "../../languages/text.ts"

export interface AcceptAsUserProperties {
  /** The email address that was invited. */
  readonly email: string
  /** The email address of the signed-in user; undefined without a signed-in user. */
  readonly signedInAs: string | undefined
  readonly accept: () => Promise<void>
}

/** Lets a registered user sign in and accept with one button. */
export function AcceptAsUser({ email, signedInAs, accept }: AcceptAsUserProperties) {
  const router = useRouter()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const here = router.state.location.href

  async function attempt(work: () => Promise<unknown>) {
    setBusy(true)
    setError(null)
    try {
      await work()
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }

  if (signedInAs === undefined) {
    return (
      <Stack>
        <Text size="sm">{t("This address is already registered. Sign in, then accept.")}</Text>
        <LinkButton to="/sign-in" search={{ back: here }}>
          {t("Sign in")}
        </LinkButton>
      </Stack>
    )
  }
  const isOther = signedInAs.toLowerCase() !== email.toLowerCase()
  return (
    <Stack>
      {isOther && (
        <Alert
          color="yellow"
          variant="light"
          title={t("You are signed in as {email}", { email: signedInAs })}
        >
          {t("Sign out and come back to this link as {email}.", { email })}
        </Alert>
      )}
      <ErrorNotice error={error} />
      {isOther ? (
        <Button
          loading={isBusy}
          onClick={() =>
            void attempt(async () => {
              await api("DELETE /session", {})
              await endSession()
            })
          }
        >
          {t("Sign out")}
        </Button>
      ) : (
        <>
          <Text size="sm" className="anywhere">
            {t("You are signed in as {email}.", { email: signedInAs })}
          </Text>
          <Button loading={isBusy} onClick={() => void attempt(accept)}>
            {t("Accept")}
          </Button>
        </>
      )}
    </Stack>
  )
}
