import { Button, Group, SimpleGrid, Stack } from "@mantine/core"
import { useForm } from "@mantine/form"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { checkPassword, NewPassword } from "../../ui/new-password.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { Panel } from "../../ui/panel.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { PasswordField } from "../../ui/password-field.tsx"
import { t } from "../../languages/text.ts"

/** Changes the password. All other sessions of the user end. */
export function PasswordPanel() {
  const form = useForm({
    initialValues: { current_password: "", new_password: "" },
    validate: {
      current_password: (value) => (value === "" ? t("Enter your current password") : null),
      new_password: checkPassword,
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async (values) => {
    await api("POST /auth/change-password", { body: values })
    form.reset()
    notifyDone(t("Your password has been changed. Your other sessions have ended."))
    await refresh("/session")
  })
  return (
    <Panel title={t("Password")} description={t("Changing it ends all your other sessions.")}>
      <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
        <Stack maw={640}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <PasswordField
              label={t("Current password")}
              autoComplete="current-password"
              {...form.getInputProps("current_password")}
            />
            <NewPassword
              label={t("New password")}
              inputWrapperOrder={["label", "input", "error", "description"]}
              {...form.getInputProps("new_password")}
            />
          </SimpleGrid>
          <ErrorNotice error={error} title={t("Could not change the password")} />
          <Group>
            <Button type="submit" variant="default" loading={isBusy}>
              {t("Change password")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
