import { Modal, NumberInput, Select, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import type { CodeWithText } from "../../../../src/management/contract/codes.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { readCredits } from "../../format/credits.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { checkPositive } from "../credits/amount-check.ts"

const DAY = 86_400_000
const LIVES = [
  { value: "", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
]

export interface NewCodeModalProperties {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onCreated: (code: CodeWithText) => void
}

/** Creates a code. */
export function NewCodeModal({ isOpen, onClose, onCreated }: NewCodeModalProperties) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Create a code">
      <NewCodeForm onClose={onClose} onCreated={onCreated} />
    </Modal>
  )
}

function NewCodeForm({ onClose, onCreated }: Omit<NewCodeModalProperties, "isOpen">) {
  const form = useForm({
    initialValues: { credits: "", uses: 1 as number | string, expires_at: "", note: "" },
    validate: {
      credits: checkPositive,
      uses: (value) => (Number(value) >= 1 ? null : "At least one"),
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async (values) => {
    const days = Number(values.expires_at)
    const code = await api.post<CodeWithText>("/codes", {
      credits: readCredits(values.credits),
      uses: Number(values.uses),
      ...(days > 0 && { expires_at: new Date(Date.now() + days * DAY).toISOString() }),
      ...(values.note.trim() !== "" && { note: values.note.trim() }),
    })
    onClose()
    onCreated(code)
    await refresh("/codes")
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <TextInput
          label="Credits for each account"
          inputMode="decimal"
          rightSection={<span className="unit">credits</span>}
          rightSectionWidth={62}
          data-autofocus
          required
          {...form.getInputProps("credits")}
        />
        <NumberInput
          label="How many accounts may redeem it"
          min={1}
          max={1_000_000}
          allowDecimal={false}
          thousandSeparator=","
          {...form.getInputProps("uses")}
        />
        <Select
          label="Ends"
          data={LIVES}
          allowDeselect={false}
          {...form.getInputProps("expires_at")}
        />
        <TextInput
          label="Note"
          description="For you: whom it is for."
          maxLength={100}
          {...form.getInputProps("note")}
        />
        <ErrorNotice error={error} title="The code was not created" />
        <FormButtons action="Create it" isBusy={isBusy} onClose={onClose} />
      </Stack>
    </form>
  )
}
