import { DAY_MS } from "tollgate-contract/durations.ts"
import { NumberInput, Select, Stack, TextInput } from "@mantine/core"
import { useForm, type UseFormReturnType } from "@mantine/form"
import { useState } from "react"
import type { CodeWithText } from "tollgate-contract/codes.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { readCredits } from "../../format/credits.ts"
import { AmountInput } from "../../ui/amount-input.tsx"
import { useAskFirst } from "../../ui/ask-first.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { FormModal } from "../../ui/form-modal.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { checkPositive } from "../credits/amount-check.ts"
import { largeAmountQuestion } from "../credits/large-amount.ts"
import { t } from "../../languages/text.ts"
import { SEPARATORS } from "../../format/numbers.ts"

/** Maximum number of codes created together. */
const MAX_CODES = 1_000
const LIVES = [
  { value: "", label: t("Never") },
  { value: "7", label: t("In 7 days") },
  { value: "30", label: t("In 30 days") },
  { value: "90", label: t("In 90 days") },
  { value: "365", label: t("In one year") },
]

export interface NewCodeModalProperties {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onCreated: (codes: readonly CodeWithText[]) => void
}

interface CodeValues {
  readonly credits: string
  /** Number of codes to create with the same settings. */
  readonly count: number | string
  readonly uses: number | string
  readonly expires_at: string
  readonly note: string
}

/** Creates one code or several. */
export function NewCodeModal({ isOpen, onClose, onCreated }: NewCodeModalProperties) {
  return (
    <FormModal opened={isOpen} onClose={onClose} title={t("Create codes")}>
      <NewCodeForm onClose={onClose} onCreated={onCreated} />
    </FormModal>
  )
}

function NewCodeForm({ onClose, onCreated }: Omit<NewCodeModalProperties, "isOpen">) {
  const { ask, dialog } = useAskFirst()
  // Repeating the request must create the same codes, so the expiry must not change.
  const [opened] = useState(() => Date.now())
  const form = useForm<CodeValues>({
    initialValues: { credits: "", count: 1, uses: 1, expires_at: "", note: "" },
    validate: {
      credits: checkPositive,
      count: (value) =>
        Number(value) >= 1 && Number(value) <= MAX_CODES
          ? null
          : t("From 1 to {max}", { max: MAX_CODES }),
      uses: (value) => (Number(value) >= 1 ? null : t("At least one")),
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async (values, idempotencyKey) => {
    const days = Number(values.expires_at)
    const body = {
      credits: readCredits(values.credits) ?? "",
      uses: Number(values.uses),
      ...(days > 0 && { expires_at: new Date(opened + days * DAY_MS).toISOString() }),
      ...(values.note.trim() !== "" && { note: values.note.trim() }),
    }
    const count = Number(values.count)
    const codes =
      count === 1
        ? [await api("POST /codes", { body }, { idempotencyKey })]
        : (await api("POST /codes/batch", { body: { ...body, count } }, { idempotencyKey })).data
    onClose()
    onCreated(codes)
    await refresh("/codes")
  })
  function send(values: CodeValues) {
    const count = Number(values.count)
    const uses = Number(values.uses)
    const times = count * uses
    const title = (credits: string) =>
      uses === 1
        ? t("Create {count, plural, one {a code} other {{count} codes}} worth {credits}?", {
            count,
            credits,
          })
        : t(
            "Create {count, plural, one {a code} other {{count} codes}} worth {credits}, redeemable {uses} times?",
            { count, credits, uses },
          )
    const amount = readCredits(values.credits)
    ask(largeAmountQuestion({ amount, times, title }), () => submit(values))
  }

  return (
    <>
      <form onSubmit={form.onSubmit(send)} noValidate>
        <Stack>
          <CodeFields form={form} />
          <ErrorNotice
            error={error}
            title={t("Nothing was created")}
            unknownTitle={t("The codes may or may not have been created")}
          />
          <FormButtons action={t("Create")} isBusy={isBusy} error={error} onClose={onClose} />
        </Stack>
      </form>
      {dialog}
    </>
  )
}

function CodeFields({ form }: { readonly form: UseFormReturnType<CodeValues> }) {
  return (
    <>
      <AmountInput
        label={t("Credits per account")}
        data-autofocus
        required
        {...form.getInputProps("credits")}
      />
      <NumberInput
        label={t("Number of codes")}
        min={1}
        max={MAX_CODES}
        allowDecimal={false}
        thousandSeparator={SEPARATORS.group}
        {...form.getInputProps("count")}
      />
      <NumberInput
        label={t("Number of accounts that may redeem each")}
        min={1}
        max={1_000_000}
        allowDecimal={false}
        thousandSeparator={SEPARATORS.group}
        {...form.getInputProps("uses")}
      />
      <Select
        label={t("Ends")}
        data={LIVES}
        allowDeselect={false}
        {...form.getInputProps("expires_at")}
      />
      <TextInput
        label={t("Note")}
        description={t("A note for yourself, such as who it is for.")}
        {...form.getInputProps("note")}
      />
    </>
  )
}
