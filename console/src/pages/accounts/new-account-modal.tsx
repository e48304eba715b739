import { Modal, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useNavigate } from "@tanstack/react-router"
import type { Account } from "../../../../src/management/contract/accounts.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { readCredits } from "../../format/credits.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { useSubmit } from "../../ui/use-submit.ts"

export interface NewAccountModalProperties {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Creates an account, with its first credits when it is to have any. */
export function NewAccountModal({ isOpen, onClose }: NewAccountModalProperties) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Create an account">
      <NewAccountForm onClose={onClose} />
    </Modal>
  )
}

function NewAccountForm({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { name: "", credits: "" },
    validate: {
      name: (value) => (value.trim() === "" ? "Give it a name" : null),
      credits: (value) => {
        if (value.trim() === "") return null
        const amount = readCredits(value)
        const isAbove = amount !== undefined && /^[^-]*[1-9]/.test(amount)
        return isAbove ? null : "An amount above zero, such as 25.00, or nothing"
      },
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async ({ name, credits }) => {
    const amount = readCredits(credits)
    const account = await api.post<Account>("/accounts", {
      name: name.trim(),
      ...(amount !== undefined && { credits: amount }),
    })
    notifyDone(`${account.name} is there.`)
    onClose()
    await refresh("/accounts")
    await navigate({ to: "/accounts/$account", params: { account: account.id } })
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <TextInput
          label="Name"
          maxLength={100}
          data-autofocus
          required
          {...form.getInputProps("name")}
        />
        <TextInput
          label="First credits"
          description="A grant; more can be added at any time."
          placeholder="none"
          inputMode="decimal"
          rightSection={<span className="unit">credits</span>}
          rightSectionWidth={62}
          {...form.getInputProps("credits")}
        />
        <ErrorNotice error={error} title="The account was not created" />
        <FormButtons action="Create it" isBusy={isBusy} onClose={onClose} />
      </Stack>
    </form>
  )
}
