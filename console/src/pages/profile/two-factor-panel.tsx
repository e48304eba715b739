import { Badge, Button, Group } from "@mantine/core"
import { useState } from "react"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { notifyDone } from "../../ui/notify.tsx"
import { Panel } from "../../ui/panel.tsx"
import { BackupCodes } from "./backup-codes.tsx"
import { EnableModal } from "./enable-modal.tsx"
import { PasswordModal } from "./password-modal.tsx"
import { t } from "../../languages/text.ts"

type Work = "enable" | "disable" | "codes"

/** Enables or disables the second step of the sign-in, which asks for a code from an authenticator app. */
export function TwoFactorPanel({ isOn }: { readonly isOn: boolean }) {
  const [work, setWork] = useState<Work>()
  const [codes, setCodes] = useState<readonly string[]>()
  const close = () => setWork(undefined)
  return (
    <Panel
      title={
        <Group gap="xs">
          {t("Two-factor authentication")}
          <Badge
            variant="light"
            tt="none"
            radius="sm"
            color={isOn ? "gate" : "gray"}
            className="status"
          >
            {isOn ? t("on") : t("off")}
          </Badge>
        </Group>
      }
      description={t(
        "Signing in asks for a code from an authenticator app, so a stolen password is not enough.",
      )}
    >
      <Group gap="xs">
        {isOn ? (
          <>
            <Button variant="default" onClick={() => setWork("codes")}>
              {t("New backup codes")}
            </Button>
            <Button variant="default" onClick={() => setWork("disable")}>
              {t("Turn off")}
            </Button>
          </>
        ) : (
          <Button onClick={() => setWork("enable")}>{t("Turn on")}</Button>
        )}
      </Group>
      <EnableModal isOpen={work === "enable"} onClose={close} />
      <PasswordModal
        isOpen={work === "disable"}
        title={t("Turn off two-factor authentication")}
        action={t("Turn off")}
        send={(password) => api("POST /auth/two-factor/disable", { body: { password } })}
        onClose={close}
        onDone={async () => {
          notifyDone(t("Two-factor authentication is off."))
          await refresh("/session")
        }}
      />
      <PasswordModal
        isOpen={work === "codes"}
        title={t("New backup codes")}
        action={t("Generate new codes")}
        send={(password) =>
          api("POST /auth/two-factor/generate-backup-codes", { body: { password } })
        }
        onClose={close}
        onDone={async (response) => setCodes(response.backup_codes)}
      >
        {t("The old codes stop working.")}
      </PasswordModal>
      <BackupCodes codes={codes} onClose={() => setCodes(undefined)} />
    </Panel>
  )
}
