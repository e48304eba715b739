import { Button, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { checkPassword, NewPassword } from "../../ui/new-password.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { t } from "../../languages/text.ts"

export interface AcceptAsGuestProperties {
  readonly accept: (body: { name: string; password: string }) => Promise<void>
}

/** Asks an invited person without a user account for a name and a password. */
export function AcceptAsGuest({ accept }: AcceptAsGuestProperties) {
  const form = useForm({
    initialValues: { name: "", password: "" },
    validate: {
      name: (value) => (value.trim() === "" ? t("Enter your name") : null),
      password: checkPassword,
    },
  })
  const { submit, isBusy, error } = useSubmit(form, accept)
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <TextInput
          label={t("Name")}
          autoComplete="name"
          autoFocus
          {...form.getInputProps("name")}
        />
        <NewPassword {...form.getInputProps("password")} />
        <ErrorNotice error={error} />
        <Button type="submit" loading={isBusy}>
          {t("Join")}
        </Button>
      </Stack>
    </form>
  )
}
