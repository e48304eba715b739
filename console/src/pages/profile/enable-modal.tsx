import { Button, Center, Group, Modal, Stack, Text, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useState } from "react"
import type { RouteResponse } from "tollgate-contract/client.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { CopyButton } from "../../ui/copy-button.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { BackupCodes } from "./backup-codes.tsx"
import { PasswordForm } from "./password-modal.tsx"
import { QrCode } from "./qr-code.tsx"
import { t } from "../../languages/text.ts"

type Enabling = RouteResponse<"POST /auth/two-factor/enable">

export interface EnableModalProperties {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/**
 * Enables two-factor sign-in: asks for the password, shows a QR code, asks for the first code, and shows backup codes.
 */
export function EnableModal({ isOpen, onClose }: EnableModalProperties) {
  const [enabling, setEnabling] = useState<Enabling>()
  const [codes, setCodes] = useState<readonly string[]>()

  function close() {
    setEnabling(undefined)
    onClose()
  }

  return (
    <>
      <Modal opened={isOpen} onClose={close} title={t("Turn on two-factor authentication")}>
        {enabling === undefined ? (
          <PasswordForm
            action={t("Continue")}
            send={(password) => api("POST /auth/two-factor/enable", { body: { password } })}
            onCancel={close}
            onDone={async (response) => setEnabling(response)}
          />
        ) : (
          <CodeForm
            enabling={enabling}
            onDone={() => {
              close()
              setCodes(enabling.backup_codes)
            }}
          />
        )}
      </Modal>
      <BackupCodes codes={codes} onClose={() => setCodes(undefined)} />
    </>
  )
}

interface CodeFormProperties {
  readonly enabling: Enabling
  readonly onDone: () => void
}

function CodeForm({ enabling, onDone }: CodeFormProperties) {
  const form = useForm({
    initialValues: { code: "" },
    validate: {
      code: (value) => (/^\d{6}$/.test(value.replace(/\s/g, "")) ? null : t("Six digits")),
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async ({ code }) => {
    await api("POST /auth/two-factor/verify-totp", { body: { code: code.replace(/\s/g, "") } })
    onDone()
    await refresh("/session")
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <Text size="sm">
          {t("Scan this with your authenticator app, or type the secret into it.")}
        </Text>
        <Center>
          <QrCode text={enabling.totp_uri} label={t("The secret for the authenticator app")} />
        </Center>
        <Group gap="xs" wrap="nowrap" className="secret">
          <Text ff="monospace" size="sm" className="anywhere" flex={1}>
            {enabling.secret}
          </Text>
          <CopyButton value={enabling.secret} label={t("Copy the secret")} />
        </Group>
        <TextInput
          label={t("The six digits that the app shows")}
          inputMode="numeric"
          autoComplete="one-time-code"
          data-autofocus
          {...form.getInputProps("code")}
        />
        <ErrorNotice error={error} />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy}>
            {t("Turn on")}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
