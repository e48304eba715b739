import { Button, Checkbox, Stack, Text, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { api } from "../../api/client.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { PasswordField } from "../../ui/password-field.tsx"
import { t } from "../../languages/text.ts"

export interface PasswordStepProperties {
  readonly onDone: () => Promise<void>
  /** Called if the password is correct and a second step is required. */
  readonly onCode: () => void
}

/** The first step of the sign-in: email address and password. */
export function PasswordStep({ onDone, onCode }: PasswordStepProperties) {
  const form = useForm({
    initialValues: { email: "", password: "", remember: true },
    validate: {
      email: (value) => (value.trim() === "" ? t("Enter your email address") : null),
      password: (value) => (value === "" ? t("Enter your password") : null),
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async (values) => {
    const response = await api("POST /auth/sign-in/email", {
      body: { ...values, email: values.email.trim() },
    })
    if (response.two_factor) onCode()
    else await onDone()
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <TextInput
          label={t("Email")}
          type="email"
          autoComplete="username"
          autoFocus
          {...form.getInputProps("email")}
        />
        <PasswordField
          label={t("Password")}
          autoComplete="current-password"
          {...form.getInputProps("password")}
        />
        <Checkbox
          label={t("Stay signed in on this device")}
          {...form.getInputProps("remember", { type: "checkbox" })}
        />
        <ErrorNotice error={error} title={t("Could not sign in")} />
        <Button type="submit" loading={isBusy}>
          {t("Sign in")}
        </Button>
        <Text size="xs" c="dimmed">
          {t(
            "Forgot your password? The operator of this gateway can give you a link to set a new one.",
          )}
        </Text>
      </Stack>
    </form>
  )
}
