import { Alert, Button, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { api } from "../../api/client.ts"
import { signInQuery } from "../../api/queries.ts"
import { PublicPage } from "../../layout/public-page.tsx"
import { beginSession } from "../../session.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { checkPassword, NewPassword } from "../../ui/new-password.tsx"
import { useSubmit } from "../../ui/use-submit.ts"

const route = getRouteApi("/setup")

/** The first user, by the one-time link that the gateway printed. He becomes the operator. */
export function SetupPage() {
  const { token } = route.useSearch()
  const navigate = route.useNavigate()
  const form = useForm({
    initialValues: { name: "", email: "", password: "" },
    validate: {
      name: (value) => (value.trim() === "" ? "Enter your name" : null),
      email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : "Enter an email address"),
      password: checkPassword,
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async (values) => {
    beginSession(
      await api("POST /setup", {
        body: { ...values, email: values.email.trim(), token: token ?? "" },
      }),
    )
    await navigate({ to: "/" })
  })
  const { data: signIn } = useQuery(signInQuery)
  if (token === undefined) return <NoToken />
  if (signIn?.needs_setup === false && !isBusy) return <SetUpAlready />
  return (
    <PublicPage
      title="Welcome"
      description="You are the first user and become the operator, who adds providers, sets prices and invites others."
    >
      <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
        <Stack>
          <TextInput label="Name" autoComplete="name" autoFocus {...form.getInputProps("name")} />
          <TextInput
            label="Email"
            description="Used to sign in. No email is sent to it."
            type="email"
            autoComplete="username"
            {...form.getInputProps("email")}
          />
          <NewPassword {...form.getInputProps("password")} />
          <ErrorNotice error={error} title="Could not set up the gateway" />
          <Button type="submit" loading={isBusy}>
            Set up the gateway
          </Button>
        </Stack>
      </form>
    </PublicPage>
  )
}

function SetUpAlready() {
  return (
    <PublicPage title="Set up">
      <Alert variant="light" title="This gateway has been set up already">
        The link works once. Sign in, or ask the operator for an invitation.
      </Alert>
      <TextLink to="/sign-in" size="sm">
        Go to sign-in
      </TextLink>
    </PublicPage>
  )
}

function NoToken() {
  return (
    <PublicPage title="Set up">
      <Alert variant="light" title="The link is incomplete">
        Open the link that <code>tollgate serve</code> printed when it started, including everything
        after <code>token=</code>.
      </Alert>
      <TextLink to="/sign-in" size="sm">
        Go to sign-in
      </TextLink>
    </PublicPage>
  )
}
