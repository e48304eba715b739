import { Modal, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { ErrorNotice } from "./error-notice.tsx"
import { FormButtons } from "./form-buttons.tsx"
import { useSubmit } from "./use-submit.ts"
import { t } from "../languages/text.ts"

/** The name and the email address of a person. */
export interface PersonValues {
  readonly name: string
  readonly email: string
}

export interface PersonModalProperties {
  /** The person to edit; undefined if the dialog is closed. */
  readonly person: PersonValues | undefined
  readonly mayChangeEmail: boolean
  /** Receives the changed values. */
  readonly onSave: (change: Partial<PersonValues>) => Promise<unknown>
  readonly onClose: () => void
}

/** Edits the name and the email address of a person. */
export function PersonModal(properties: PersonModalProperties) {
  const { person, onClose } = properties
  return (
    <Modal opened={person !== undefined} onClose={onClose} title={t("Name and email")}>
      {person !== undefined && <PersonForm {...properties} person={person} />}
    </Modal>
  )
}

function PersonForm({
  person,
  mayChangeEmail,
  onSave,
  onClose,
}: PersonModalProperties & { readonly person: PersonValues }) {
  const form = useForm<PersonValues>({
    initialValues: { name: person.name, email: person.email },
    validate: {
      name: (value) => (value.trim() === "" ? t("Enter a name") : null),
      email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : t("Enter an email address")),
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async (values) => {
    const name = values.name.trim()
    const email = values.email.trim()
    await onSave({
      ...(name !== person.name && { name }),
      ...(email !== person.email && { email }),
    })
    onClose()
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <TextInput
          label={t("Name")}
          autoComplete="name"
          data-autofocus
          {...form.getInputProps("name")}
        />
        <TextInput
          label={t("Email")}
          type="email"
          autoComplete="email"
          description={
            mayChangeEmail
              ? t("Used to sign in from now on.")
              : t("Only an operator can change it.")
          }
          disabled={!mayChangeEmail}
          {...form.getInputProps("email")}
        />
        <ErrorNotice error={error} />
        <FormButtons action={t("Save")} isBusy={isBusy} onClose={onClose} />
      </Stack>
    </form>
  )
}
