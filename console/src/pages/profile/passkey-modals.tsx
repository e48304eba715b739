import { Modal, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import type { Passkey } from "tollgate-contract/passkeys.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { makePasskey } from "../../passkeys.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { PasswordField } from "../../ui/password-field.tsx"
import { t } from "../../languages/text.ts"

export interface AddPasskeyProperties {
  readonly isOpen: boolean
  readonly hasPassword: boolean
  readonly onClose: () => void
}

/** Adds a passkey: asks for a name and the password, then opens the browser's prompt. */
export function AddPasskeyModal({ isOpen, hasPassword, onClose }: AddPasskeyProperties) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t("Add a passkey")}>
      <AddForm hasPassword={hasPassword} onClose={onClose} />
    </Modal>
  )
}

function AddForm({ hasPassword, onClose }: Omit<AddPasskeyProperties, "isOpen">) {
  const form = useForm({
    initialValues: { name: "", password: "" },
    validate: {
      name: nameFault,
      password: (value) => (hasPassword && value === "" ? t("Enter your password") : null),
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async ({ name, password }) => {
    await makePasskey(name.trim(), hasPassword ? password : undefined)
    onClose()
    notifyDone(t("The passkey is added."))
    await refresh("/auth/passkeys")
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <TextInput
          label={t("Name")}
          description={t("Helps you recognize it, such as 'my laptop'.")}
          data-autofocus
          {...form.getInputProps("name")}
        />
        {hasPassword && (
          <PasswordField
            label={t("Your password")}
            autoComplete="current-password"
            {...form.getInputProps("password")}
          />
        )}
        <ErrorNotice error={error} />
        <FormButtons
          action={t("Add the passkey")}
          isBusy={isBusy}
          error={error}
          onClose={onClose}
        />
      </Stack>
    </form>
  )
}

export interface RenamePasskeyProperties {
  readonly passkey: Passkey
  readonly onClose: () => void
}

export function RenamePasskeyModal({ passkey, onClose }: RenamePasskeyProperties) {
  const form = useForm({ initialValues: { name: passkey.name }, validate: { name: nameFault } })
  const { submit, isBusy, error } = useSubmit(form, async ({ name }) => {
    const path = { id: passkey.id }
    await api("PATCH /auth/passkeys/{id}", { path, body: { name: name.trim() } })
    onClose()
    await refresh("/auth/passkeys")
  })
  return (
    <Modal opened onClose={onClose} title={t("Rename the passkey")}>
      <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
        <Stack>
          <TextInput label={t("Name")} data-autofocus {...form.getInputProps("name")} />
          <ErrorNotice error={error} />
          <FormButtons action={t("Rename")} isBusy={isBusy} error={error} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  )
}

function nameFault(name: string): string | null {
  return name.trim() === "" ? t("Enter a name") : null
}
