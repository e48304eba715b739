import { Modal, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import type { AccountChoice } from "../../account.tsx"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { creditsText } from "../../format/credits.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { t } from "../../languages/text.ts"

export interface CreditsModalProperties {
  readonly account: AccountChoice
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Redeems a code for credits. An account can redeem each code once. */
export function RedeemModal({ account, isOpen, onClose }: CreditsModalProperties) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t("Redeem a code for {name}", { name: account.name })}
    >
      <RedeemForm account={account} onClose={onClose} />
    </Modal>
  )
}

function RedeemForm({ account, onClose }: Omit<CreditsModalProperties, "isOpen">) {
  const form = useForm({
    initialValues: { code: "" },
    validate: { code: (value) => (value.trim() === "" ? t("Enter the code") : null) },
  })
  const { submit, isBusy, error } = useSubmit(form, async ({ code }, idempotencyKey) => {
    const redemption = { path: { id: account.id }, body: { code: code.trim() } }
    const entry = await api("POST /accounts/{id}/redeem", redemption, { idempotencyKey })
    notifyDone(t("{amount} credits were added.", { amount: creditsText(entry.amount) }))
    onClose()
    await refresh(`/accounts`, "/usage/overview")
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <TextInput
          label={t("Code")}
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps("code")}
        />
        <ErrorNotice
          error={error}
          title={t("Could not redeem the code")}
          unknownTitle={t("The code may or may not have been redeemed")}
        />
        <FormButtons action={t("Redeem")} isBusy={isBusy} error={error} onClose={onClose} />
      </Stack>
    </form>
  )
}
