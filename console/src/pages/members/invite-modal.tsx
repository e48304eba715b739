import "@mantine/core/styles/Radio.css"
import { Alert, Button, Group, Modal, Radio, Select, Stack, Text, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useState } from "react"
import type { InvitationWithLink } from "tollgate-contract/members.ts"
import { useAccount } from "../../account.tsx"
import { isOutcomeUnknown } from "../../api/api-error.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { SHOWN_ONCE } from "../../ui/shown-once.ts"
import { Snippet } from "../../ui/snippet.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { When } from "../../ui/when.tsx"
import { roleOf, ROLES } from "./roles.ts"
import { rich, t } from "../../languages/text.ts"

export interface InviteModalProperties {
  /** The account; undefined if the operator selects it in the form. */
  readonly account: string | undefined
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Invites a person. The link is shown once, and the inviter has to send it to the person. */
export function InviteModal({ account, isOpen, onClose }: InviteModalProperties) {
  const [made, setMade] = useState<InvitationWithLink>()

  function close() {
    setMade(undefined)
    onClose()
  }

  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={t("Invite someone")}
      closeOnClickOutside={false}
      {...(made !== undefined && SHOWN_ONCE)}
    >
      {made === undefined ? (
        <InviteForm account={account} onMade={setMade} />
      ) : (
        <ShownLink made={made} onClose={close} />
      )}
    </Modal>
  )
}

interface ShownLinkProperties {
  readonly made: InvitationWithLink
  readonly onClose: () => void
}

function ShownLink({ made, onClose }: ShownLinkProperties) {
  return (
    <Stack>
      <Text size="sm">
        {rich("Send this link to {email}. It can be used once, until {when}.", {
          email: made.email,
          when: <When at={made.expires_at} isExact />,
        })}
      </Text>
      <Snippet code={made.link} label={t("Copy the link")} />
      <Alert variant="light" color="yellow">
        {t("The link is not shown again, and the gateway does not send email.")}
      </Alert>
      <Group justify="flex-end">
        <Button onClick={onClose}>{t("I have copied it")}</Button>
      </Group>
    </Stack>
  )
}

interface InviteFormProperties {
  readonly account: string | undefined
  readonly onMade: (invitation: InvitationWithLink) => void
}

function InviteForm({ account, onMade }: InviteFormProperties) {
  const { accounts } = useAccount()
  const form = useForm({
    initialValues: { account: account ?? "", email: "", role: "member" },
    validate: {
      account: (id) => (id === "" ? t("Choose an account") : null),
      email: (value) => (/^\S+@\S+\.\S+$/.test(value.trim()) ? null : t("Enter an email address")),
    },
  })
  const { submit, isBusy, error } = useSubmit(
    form,
    async ({ account, email, role }, idempotencyKey) => {
      const body = { account, email: email.trim(), role: roleOf(role) }
      onMade(await api("POST /members/invitations", { body }, { idempotencyKey }))
      await refresh("/members/invitations")
    },
  )
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        {account === undefined && (
          <Select
            label={t("Account")}
            data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
            searchable
            required
            {...form.getInputProps("account")}
          />
        )}
        <TextInput
          type="email"
          label={t("Email address")}
          description={t("Only someone with this address can accept.")}
          data-autofocus
          required
          {...form.getInputProps("email")}
        />
        <Radio.Group label={t("Role")} {...form.getInputProps("role")}>
          <Stack gap="xs" mt={6}>
            {ROLES.map(({ value, label, help }) => (
              <Radio key={value} value={value} label={label} description={help} />
            ))}
          </Stack>
        </Radio.Group>
        <ErrorNotice
          error={error}
          title={t("Could not create the invitation")}
          unknownTitle={t("The invitation may or may not have been created")}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy}>
            {isOutcomeUnknown(error) ? t("Try again") : t("Create the link")}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
