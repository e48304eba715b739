import { Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useNavigate } from "@tanstack/react-router"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { readCredits } from "../../format/credits.ts"
import { AmountInput } from "../../ui/amount-input.tsx"
import { useAskFirst } from "../../ui/ask-first.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { FormModal } from "../../ui/form-modal.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { checkOptional } from "../credits/amount-check.ts"
import { largeAmountQuestion } from "../credits/large-amount.ts"
import { t } from "../../languages/text.ts"

export interface NewAccountModalProperties {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Creates an account, optionally with initial credits. */
export function NewAccountModal({ isOpen, onClose }: NewAccountModalProperties) {
  return (
    <FormModal opened={isOpen} onClose={onClose} title={t("Create an account")}>
      <NewAccountForm onClose={onClose} />
    </FormModal>
  )
}

function NewAccountForm({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const { ask, dialog } = useAskFirst()
  const form = useForm({
    initialValues: { name: "", credits: "" },
    validate: {
      name: (value) => (value.trim() === "" ? t("Enter a name") : null),
      credits: checkOptional,
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async ({ name, credits }, idempotencyKey) => {
    const amount = readCredits(credits)
    const body = { name: name.trim(), ...(amount !== undefined && { credits: amount }) }
    const account = await api("POST /accounts", { body }, { idempotencyKey })
    notifyDone(t("{name} has been created.", { name: account.name }))
    onClose()
    await refresh("/accounts")
    await navigate({ to: "/accounts/$account", params: { account: account.id } })
  })
  function send(values: { readonly name: string; readonly credits: string }) {
    const title = (credits: string) =>
      t("Create {name} with {credits}?", { name: values.name.trim(), credits })
    const amount = readCredits(values.credits)
    ask(largeAmountQuestion({ amount, title }), () => submit(values))
  }

  return (
    <>
      <form onSubmit={form.onSubmit(send)} noValidate>
        <Stack>
          <TextInput label={t("Name")} data-autofocus required {...form.getInputProps("name")} />
          <AmountInput
            label={t("Initial credits")}
            description={t("Recorded as a grant. You can add more at any time.")}
            placeholder={t("none")}
            {...form.getInputProps("credits")}
          />
          <ErrorNotice
            error={error}
            title={t("Could not create the account")}
            unknownTitle={t("The account may or may not have been created")}
          />
          <FormButtons action={t("Create")} isBusy={isBusy} error={error} onClose={onClose} />
        </Stack>
      </form>
      {dialog}
    </>
  )
}
