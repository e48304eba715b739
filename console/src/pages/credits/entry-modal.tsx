import { Modal, Select, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useQuery } from "@tanstack/react-query"
import type { NewEntry } from "tollgate-contract/accounts.ts"
import { api } from "../../api/client.ts"
import { accountCreditsQuery } from "../../api/queries.ts"
import { refresh } from "../../api/refresh.ts"
import { readCredits } from "../../format/credits.ts"
import { AmountInput } from "../../ui/amount-input.tsx"
import { useAskFirst } from "../../ui/ask-first.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { checkPositive, checkSigned } from "./amount-check.ts"
import { largeAmountQuestion } from "./large-amount.ts"
import type { CreditsModalProperties } from "./redeem-modal.tsx"
import { t } from "../../languages/text.ts"

interface EntryValues {
  readonly kind: NewEntry["kind"]
  readonly amount: string
  readonly note: string
}

const KINDS: { value: NewEntry["kind"]; label: string }[] = [
  { value: "grant", label: t("Grant: give credits") },
  { value: "refund", label: t("Refund: return a charge") },
  { value: "adjustment", label: t("Adjustment: correct the balance up or down") },
]

/** Lets an operator add or deduct credits. The reason is stored in the ledger. */
export function EntryModal({ account, isOpen, onClose }: CreditsModalProperties) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t("Adjust the credits of {name}", { name: account.name })}
    >
      <EntryForm account={account} onClose={onClose} />
    </Modal>
  )
}

function EntryForm({ account, onClose }: Omit<CreditsModalProperties, "isOpen">) {
  const credits = useQuery(accountCreditsQuery(account.id))
  const { ask, dialog } = useAskFirst()
  const form = useEntryForm()
  const { submit, isBusy, error } = useSubmit(form, async (values, idempotencyKey) => {
    const entry = {
      kind: values.kind,
      amount: readCredits(values.amount) ?? "",
      note: values.note.trim(),
    }
    await api(
      "POST /accounts/{id}/entries",
      { path: { id: account.id }, body: entry },
      { idempotencyKey },
    )
    notifyDone(t("The entry has been recorded."))
    onClose()
    await refresh("/accounts", "/usage/overview")
  })
  function send(values: EntryValues) {
    const amount = readCredits(values.amount)
    const title = (credits: string) => questionTitle(amount, credits, account.name)
    const question = largeAmountQuestion({ amount, balance: credits.data?.balance, title })
    ask(question, () => submit(values))
  }

  const isSigned = form.values.kind === "adjustment"
  return (
    <>
      <form onSubmit={form.onSubmit(send)} noValidate>
        <Stack>
          <Select
            label={t("Kind")}
            data={KINDS}
            allowDeselect={false}
            {...form.getInputProps("kind")}
          />
          <AmountInput
            label={t("Amount")}
            description={isSigned ? t("A negative amount removes credits.") : undefined}
            inputMode={isSigned ? "text" : "decimal"}
            data-autofocus
            {...form.getInputProps("amount")}
          />
          <TextInput
            label={t("Reason")}
            description={t("Recorded permanently in the ledger, with your name.")}
            {...form.getInputProps("note")}
          />
          <ErrorNotice
            error={error}
            title={t("Could not record the entry")}
            unknownTitle={t("The entry may or may not have been recorded")}
          />
          <FormButtons
            action={t("Record the entry")}
            isBusy={isBusy}
            error={error}
            onClose={onClose}
          />
        </Stack>
      </form>
      {dialog}
    </>
  )
}

function useEntryForm() {
  return useForm<EntryValues>({
    initialValues: { kind: "grant", amount: "", note: "" },
    validate: {
      amount: (value, values) =>
        values.kind === "adjustment" ? checkSigned(value) : checkPositive(value),
      note: (value) => (value.trim() === "" ? t("Enter a reason") : null),
    },
  })
}

function questionTitle(amount: string | undefined, credits: string, name: string): string {
  return amount?.startsWith("-")
    ? t("Take {credits} from {name}?", { credits, name })
    : t("Add {credits} to {name}?", { credits, name })
}
