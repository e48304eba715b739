import { Button, Skeleton, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { api } from "../../api/client.ts"
import { oneQuery } from "../../api/queries.ts"
import { PublicPage } from "../../layout/public-page.tsx"
import { beginSession } from "../../session.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { checkPassword, NewPassword } from "../../ui/new-password.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { LinkNotice, rejectionOf } from "../../layout/link-notice.tsx"
import { rich, t } from "../../languages/text.ts"

const route = getRouteApi("/setup")

/** Creates the first user, an operator, with the one-time link that the gateway printed. */
export function SetupPage() {
  const { token } = route.useSearch()
  const link = useQuery({
    ...oneQuery("GET /setup/{token}", { path: { token: token ?? "" } }),
    enabled: token !== undefined,
    // Submitting the form below uses up the link, so the link must not be checked again.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  const rejection = rejectionOf(link.error)
  if (token === undefined) return <NoToken />
  if (rejection?.status === 409) return <SetUpAlready />
  if (rejection !== undefined) {
    return (
      <PublicPage title={t("Set up")}>
        <LinkNotice title={t("This link does not work")}>{rejection.message}</LinkNotice>
      </PublicPage>
    )
  }
  return (
    <PublicPage
      title={t("Welcome")}
      description={t(
        "You are the first user and become the operator, who adds providers, sets prices and invites others.",
      )}
    >
      <ErrorNotice error={link.error} retry={() => void link.refetch()} />
      {link.isPending && <Skeleton height={280} />}
      {link.data !== undefined && <SetupForm token={token} />}
    </PublicPage>
  )
}

function SetupForm({ token }: { readonly token: string }) {
  const navigate = route.useNavigate()
  const form = useForm({
    initialValues: { name: "", email: "", password: "" },
    validate: {
      name: (value) => (value.trim() === "" ? t("Enter your name") : null),
      email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : t("Enter an email address")),
      password: checkPassword,
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async (values) => {
    const body = { ...values, email: values.email.trim(), token }
    beginSession(await api("POST /setup", { body }))
    await navigate({ to: "/" })
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <TextInput
          label={t("Name")}
          autoComplete="name"
          autoFocus
          {...form.getInputProps("name")}
        />
        <TextInput
          label={t("Email")}
          description={t("Used to sign in. No email is sent to it.")}
          type="email"
          autoComplete="username"
          {...form.getInputProps("email")}
        />
        <NewPassword {...form.getInputProps("password")} />
        <ErrorNotice error={error} title={t("Could not set up the gateway")} />
        <Button type="submit" loading={isBusy}>
          {t("Set up the gateway")}
        </Button>
      </Stack>
    </form>
  )
}

function SetUpAlready() {
  return (
    <PublicPage title={t("Set up")}>
      <LinkNotice title={t("This gateway has been set up already")}>
        {t("The link works once. Sign in, or ask the operator for an invitation.")}
      </LinkNotice>
    </PublicPage>
  )
}

function NoToken() {
  return (
    <PublicPage title={t("Set up")}>
      <LinkNotice title={t("The link is incomplete")}>
        {rich(
          "Open the link that <code>tollgate serve</code> printed when it started, including everything after <code>token=</code>.",
          { code: (text) => <code>{text}</code> },
        )}
      </LinkNotice>
    </PublicPage>
  )
}
