import { Alert, Button, Divider, Skeleton, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { api, keepLinkToken } from "../../api/client.ts"
import { signInQuery } from "../../api/queries.ts"
import { PublicPage } from "../../layout/public-page.tsx"
import { supportsPasskeys } from "../../passkeys.ts"
import { beginSession } from "../../session.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { CodeStep } from "./code-step.tsx"
import { PasswordStep } from "./password-step.tsx"
import { PasskeyButton } from "./passkey-button.tsx"
import { localPath, rejectionText } from "./return-path.ts"
import { rich, t } from "../../languages/text.ts"

const route = getRouteApi("/sign-in")

/** Signs in with a password and an optional code, a passkey, or an issuer. */
export function SignInPage() {
  const { back, error, step } = route.useSearch()
  const navigate = route.useNavigate()
  const options = useQuery(signInQuery)
  const [isCodeAsked, setCodeAsked] = useState(step === "code")

  async function enter() {
    beginSession(await api("GET /session", {}))
    await navigate({ href: localPath(back) })
  }

  if (isCodeAsked) return <CodeStep onDone={enter} onBack={() => setCodeAsked(false)} />
  return (
    <PublicPage title={t("Sign in")} description={t("To this gateway's console.")}>
      {error !== undefined && (
        <Alert color="red" variant="light" role="alert">
          {rejectionText(error)}
        </Alert>
      )}
      <ErrorNotice error={options.error} retry={() => void options.refetch()} />
      {options.isPending && <Skeleton height={180} />}
      {options.data?.needs_setup === true && <SetupHint />}
      {options.data?.password === true && (
        <PasswordStep onDone={enter} onCode={() => setCodeAsked(true)} />
      )}
      {options.data?.passkey === true && supportsPasskeys() && <PasskeyButton onDone={enter} />}
      <IssuerButtons issuers={options.data?.oidc ?? []} back={localPath(back)} />
    </PublicPage>
  )
}

function SetupHint() {
  return (
    <Alert variant="light" title={t("No users yet")}>
      <Text size="sm">
        {rich(
          "Create the first user with the one-time link that <code>tollgate serve</code> printed when it started.",
          { code: (text) => <code>{text}</code> },
        )}
      </Text>
    </Alert>
  )
}

interface IssuerButtonsProperties {
  readonly issuers: readonly { readonly id: string; readonly name: string }[]
  readonly back: string
}

function IssuerButtons({ issuers: houses, back }: IssuerButtonsProperties) {
  const [busy, setBusy] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  if (houses.length === 0) return null

  async function leave(provider: string) {
    setBusy(provider)
    setError(null)
    try {
      const response = await api("POST /auth/sign-in/oidc", {
        body: { provider, return_to: `/console${back}` },
      })
      keepLinkToken(response.link_token)
      window.location.assign(response.url)
    } catch (thrown) {
      setError(thrown)
      setBusy(null)
    }
  }

  return (
    <Stack gap="xs">
      <Divider label={t("or")} />
      {houses.map((issuer) => (
        <Button
          key={issuer.id}
          variant="default"
          loading={busy === issuer.id}
          onClick={() => void leave(issuer.id)}
        >
          {t("Sign in with {name}", { name: issuer.name })}
        </Button>
      ))}
      <ErrorNotice error={error} />
    </Stack>
  )
}
