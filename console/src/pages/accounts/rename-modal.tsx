import { Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import type { Account } from "tollgate-contract/accounts.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { FormModal } from "../../ui/form-modal.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { t } from "../../languages/text.ts"

export interface RenameModalProperties {
  readonly account: Account
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function RenameModal({ account, isOpen, onClose }: RenameModalProperties) {
  return (
    <FormModal opened={isOpen} onClose={onClose} title={t("Rename {name}", { name: account.name })}>
      <RenameForm account={account} onClose={onClose} />
    </FormModal>
  )
}

function RenameForm({ account, onClose }: Omit<RenameModalProperties, "isOpen">) {
  const form = useForm({
    initialValues: { name: account.name },
    validate: { name: (value) => (value.trim() === "" ? t("Enter a name") : null) },
  })
  const { submit, isBusy, error } = useSubmit(form, async ({ name }) => {
    await api("PATCH /accounts/{id}", { path: { id: account.id }, body: { name: name.trim() } })
    onClose()
    await refresh("/accounts")
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <TextInput label={t("Name")} data-autofocus {...form.getInputProps("name")} />
        <ErrorNotice error={error} />
        <FormButtons action={t("Rename")} isBusy={isBusy} onClose={onClose} />
      </Stack>
    </form>
  )
}
