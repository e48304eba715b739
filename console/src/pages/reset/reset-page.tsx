import { Button, Skeleton, Stack } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { api } from "../../api/client.ts"
import { oneQuery } from "../../api/queries.ts"
import { PublicPage } from "../../layout/public-page.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { checkPassword, NewPassword } from "../../ui/new-password.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { LinkNotice, rejectionOf } from "../../layout/link-notice.tsx"
import { t } from "../../languages/text.ts"

const route = getRouteApi("/reset")

/** Lets a user set a new password with a link from an operator. */
export function ResetPage() {
  const { token } = route.useSearch()
  const link = useQuery({
    ...oneQuery("GET /auth/reset-password/{token}", { path: { token: token ?? "" } }),
    enabled: token !== undefined,
    // Submitting the form below uses up the link, so the link must not be checked again.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  const rejection = rejectionOf(link.error)
  if (token === undefined) {
    return (
      <PublicPage title={t("New password")}>
        <LinkNotice title={t("The link is incomplete")}>
          {t("Open the complete link that the operator gave you.")}
        </LinkNotice>
      </PublicPage>
    )
  }
  if (rejection !== undefined) {
    return (
      <PublicPage title={t("New password")}>
        <LinkNotice title={t("This link no longer works")}>{rejection.message}</LinkNotice>
      </PublicPage>
    )
  }
  return (
    <PublicPage title={t("New password")} description={t("Setting it ends all your sessions.")}>
      <ErrorNotice error={link.error} retry={() => void link.refetch()} />
      {link.isPending && <Skeleton height={140} />}
      {link.data !== undefined && <ResetForm token={token} />}
    </PublicPage>
  )
}

function ResetForm({ token }: { readonly token: string }) {
  const navigate = route.useNavigate()
  const form = useForm({
    initialValues: { new_password: "" },
    validate: { new_password: checkPassword },
  })
  const { submit, isBusy, error } = useSubmit(form, async (values) => {
    await api("POST /auth/reset-password", { body: { ...values, token } })
    notifyDone(t("Your new password has been set. Sign in with it."))
    await navigate({ to: "/sign-in" })
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <NewPassword label={t("New password")} autoFocus {...form.getInputProps("new_password")} />
        <ErrorNotice error={error} title={t("Could not change the password")} />
        <Button type="submit" loading={isBusy}>
          {t("Set password")}
        </Button>
        <TextLink to="/sign-in" size="sm">
          {t("Go to sign-in")}
        </TextLink>
      </Stack>
    </form>
  )
}
