import { Text } from "@mantine/core"
import { useSession } from "../../session.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { LanguagePanel } from "./language-panel.tsx"
import { PasskeysPanel } from "./passkeys-panel.tsx"
import { PersonPanel } from "./person-panel.tsx"
import { PasswordPanel } from "./password-panel.tsx"
import { SessionsPanel } from "./sessions-panel.tsx"
import { TwoFactorPanel } from "./two-factor-panel.tsx"
import { t } from "../../languages/text.ts"

/** Shows the profile and the security settings of the signed-in user. */
export function ProfilePage() {
  const { user } = useSession()
  if (user === null) {
    return (
      <Page title={t("Profile and security")}>
        <EmptyState title={t("You are signed in with the admin token")}>
          {t("It has no password and no profile.")}
        </EmptyState>
        <LanguagePanel />
      </Page>
    )
  }
  return (
    <Page title={t("Profile and security")}>
      <PersonPanel user={user} />
      <LanguagePanel />
      {user.has_password ? (
        <>
          <PasswordPanel />
          <TwoFactorPanel isOn={user.two_factor} />
        </>
      ) : (
        <Panel title={t("Password")}>
          <Text size="sm" c="dimmed">
            {t(
              "You sign in with an identity provider. Your password and second factor are managed there.",
            )}
          </Text>
        </Panel>
      )}
      <PasskeysPanel hasPassword={user.has_password} />
      <SessionsPanel />
    </Page>
  )
}
