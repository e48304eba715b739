import { Badge, Button, Group } from "@mantine/core"
import { useState } from "react"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { notifyDone } from "../../ui/notify.tsx"
import { Panel } from "../../ui/panel.tsx"
import { BackupCodes } from "./backup-codes.tsx"
import { EnableModal } from "./enable-modal.tsx"
import { PasswordModal } from "./password-modal.tsx"

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
          Two-factor authentication
          <Badge
            variant="light"
            tt="none"
            radius="sm"
            color={isOn ? "gate" : "gray"}
            className="status"
          >
            {isOn ? "on" : "off"}
          </Badge>
        </Group>
      }
      description="Signing in asks for a code from an authenticator app, so a stolen password is not enough."
    >
      <Group gap="xs">
        {isOn ? (
          <>
            <Button variant="default" onClick={() => setWork("codes")}>
              New backup codes
            </Button>
            <Button variant="default" onClick={() => setWork("disable")}>
              Turn off
            </Button>
          </>
        ) : (
          <Button onClick={() => setWork("enable")}>Turn on</Button>
        )}
      </Group>
      <EnableModal isOpen={work === "enable"} onClose={close} />
      <PasswordModal
        isOpen={work === "disable"}
        title="Turn off two-factor authentication"
        action="Turn off"
        send={(password) => api("POST /auth/two-factor/disable", { body: { password } })}
        onClose={close}
        onDone={async () => {
          notifyDone("Two-factor authentication is off.")
          await refresh("/session")
        }}
      />
      <PasswordModal
        isOpen={work === "codes"}
        title="New backup codes"
        action="Generate new codes"
        send={(password) =>
          api("POST /auth/two-factor/generate-backup-codes", { body: { password } })
        }
        onClose={close}
        onDone={async (answer) => setCodes(answer.backup_codes)}
      >
        The old codes stop working.
      </PasswordModal>
      <BackupCodes codes={codes} onClose={() => setCodes(undefined)} />
    </Panel>
  )
}
