import { Alert, Button, Stack } from "@mantine/core"
import { useForm } from "@mantine/form"
import { getRouteApi } from "@tanstack/react-router"
import { api } from "../../api/client.ts"
import { PublicPage } from "../../layout/public-page.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { checkPassword, NewPassword } from "../../ui/new-password.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { useSubmit } from "../../ui/use-submit.ts"

const route = getRouteApi("/reset")

/** A new password, by a link that the operator gave. */
export function ResetPage() {
  const { token } = route.useSearch()
  const navigate = route.useNavigate()
  const form = useForm({
    initialValues: { new_password: "" },
    validate: { new_password: checkPassword },
  })
  const { submit, isBusy, error } = useSubmit(form, async (values) => {
    await api("POST /auth/reset-password", { body: { ...values, token: token ?? "" } })
    notifyDone("Your new password has been set. Sign in with it.")
    await navigate({ to: "/sign-in" })
  })
  return (
    <PublicPage title="New password" description="Setting it ends all your sessions.">
      {token === undefined && (
        <Alert variant="light" title="The link is incomplete">
          Open the complete link that the operator gave you.
        </Alert>
      )}
      <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
        <Stack>
          <NewPassword
            label="New password"
            autoFocus
            disabled={token === undefined}
            {...form.getInputProps("new_password")}
          />
          <ErrorNotice error={error} title="Could not change the password" />
          <Button type="submit" loading={isBusy} disabled={token === undefined}>
            Set password
          </Button>
          <TextLink to="/sign-in" size="sm">
            Go to sign-in
          </TextLink>
        </Stack>
      </form>
    </PublicPage>
  )
}
