import { Modal, Select, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import type { NewEntry } from "../../../../src/management/contract/accounts.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { readCredits } from "../../format/credits.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { checkPositive, checkSigned } from "./amount-check.ts"
import type { CreditsModalProperties } from "./redeem-modal.tsx"

const KINDS: { value: NewEntry["kind"]; label: string }[] = [
  { value: "grant", label: "Grant: credits are given" },
  { value: "refund", label: "Refund: a charge is given back" },
  { value: "adjustment", label: "Adjustment: a correction, up or down" },
]

/** An operator adds credits to an account or takes some; why, stands in the book. */
export function EntryModal({ account, isOpen, onClose }: CreditsModalProperties) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={`Add or take credits of ${account.name}`}>
      <EntryForm account={account} onClose={onClose} />
    </Modal>
  )
}

function EntryForm({ account, onClose }: Omit<CreditsModalProperties, "isOpen">) {
  const form = useForm({
    initialValues: { kind: "grant", amount: "", note: "" },
    validate: {
      amount: (value, values) =>
        values.kind === "adjustment" ? checkSigned(value) : checkPositive(value),
      note: (value) => (value.trim() === "" ? "Say why" : null),
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async (values) => {
    await api.post(`/accounts/${account.id}/entries`, {
      kind: values.kind,
      amount: readCredits(values.amount),
      note: values.note.trim(),
    })
    notifyDone("The entry is in the book.")
    onClose()
    await refresh("/accounts", "/usage/overview")
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <Select label="Kind" data={KINDS} allowDeselect={false} {...form.getInputProps("kind")} />
        <TextInput
          label="Amount"
          description={
            form.values.kind === "adjustment" ? "With a minus, credits are taken." : undefined
          }
          inputMode={form.values.kind === "adjustment" ? "text" : "decimal"}
          rightSection={<span className="unit">credits</span>}
          rightSectionWidth={62}
          data-autofocus
          {...form.getInputProps("amount")}
        />
        <TextInput
          label="Why"
          description="It stands in the book for ever, with your name."
          maxLength={100}
          {...form.getInputProps("note")}
        />
        <ErrorNotice error={error} title="There is no entry" />
        <FormButtons action="Enter it" isBusy={isBusy} onClose={onClose} />
      </Stack>
    </form>
  )
}
