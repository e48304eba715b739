import { Anchor, Button, Checkbox, Group, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useState } from "react"
import { api } from "../../api/client.ts"
import { PublicPage } from "../../layout/public-page.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { useSubmit } from "../../ui/use-submit.ts"

export interface CodeStepProperties {
  readonly onDone: () => Promise<void>
  readonly onBack: () => void
}

/** The second step: a code from an authenticator app, or a backup code. */
export function CodeStep({ onDone, onBack }: CodeStepProperties) {
  const [isBackup, setBackup] = useState(false)
  const form = useForm({
    initialValues: { code: "", trust_device: false },
    validate: { code: (value) => (value.trim() === "" ? "Enter the code" : null) },
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
      title="Two-factor authentication"
      description={
        isBackup ? "One of your backup codes." : "The six digits from your authenticator app."
      }
    >
      <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
        <Stack>
          <TextInput
            key={isBackup ? "backup" : "app"}
            label={isBackup ? "Backup code" : "Code"}
            autoComplete="one-time-code"
            inputMode={isBackup ? "text" : "numeric"}
            autoFocus
            {...form.getInputProps("code")}
          />
          <Checkbox
            label="Do not ask again on this device for 30 days"
            {...form.getInputProps("trust_device", { type: "checkbox" })}
          />
          <ErrorNotice error={error} title="Could not sign in" />
          <Button type="submit" loading={isBusy}>
            Continue
          </Button>
          <Group justify="space-between">
            <Anchor component="button" type="button" size="sm" onClick={change}>
              {isBackup ? "Use the app" : "Use a backup code"}
            </Anchor>
            <Anchor component="button" type="button" size="sm" onClick={onBack}>
              Start over
            </Anchor>
          </Group>
        </Stack>
      </form>
    </PublicPage>
  )
}
