import { Anchor, Button, Checkbox, Group, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useState } from "react"
import { api } from "../../api/client.ts"
import { PublicPage } from "../../layout/public-page.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { t } from "../../languages/text.ts"

export interface CodeStepProperties {
  readonly onDone: () => Promise<void>
  readonly onBack: () => void
}

/** The second step: a code from an authenticator app, or a backup code. */
export function CodeStep({ onDone, onBack }: CodeStepProperties) {
  const [isBackup, setBackup] = useState(false)
  const form = useForm({
    initialValues: { code: "", trust_device: false },
    validate: { code: (value) => (value.trim() === "" ? t("Enter the code") : null) },
  })
  const { submit, isBusy, error } = useSubmit(form, async (values) => {
    const body = {
      code: isBackup ? values.code.trim() : values.code.replace(/\s/g, ""),
      trust_device: values.trust_device,
    }
    if (isBackup) await api("POST /auth/two-factor/verify-backup-code", { body })
    else await api("POST /auth/two-factor/verify-totp", { body })
    await onDone()
  })

  function change() {
    form.reset()
    setBackup(!isBackup)
  }

  return (
    <PublicPage
      title={t("Two-factor authentication")}
      description={
        isBackup ? t("One of your backup codes.") : t("The six digits from your authenticator app.")
      }
    >
      <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
        <Stack>
          <TextInput
            key={isBackup ? "backup" : "app"}
            label={isBackup ? t("Backup code") : t("Code")}
            autoComplete="one-time-code"
            inputMode={isBackup ? "text" : "numeric"}
            autoFocus
            {...form.getInputProps("code")}
          />
          <Checkbox
            label={t("Do not ask again on this device for 30 days")}
            {...form.getInputProps("trust_device", { type: "checkbox" })}
          />
          <ErrorNotice error={error} title={t("Could not sign in")} />
          <Button type="submit" loading={isBusy}>
            {t("Continue")}
          </Button>
          <Group justify="space-between">
            <Anchor component="button" type="button" size="sm" onClick={change}>
              {isBackup ? t("Use the app") : t("Use a backup code")}
            </Anchor>
            <Anchor component="button" type="button" size="sm" onClick={onBack}>
              {t("Start over")}
            </Anchor>
          </Group>
        </Stack>
      </form>
    </PublicPage>
  )
}
