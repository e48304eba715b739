import { MultiSelect, Select, Stack, TextInput } from "@mantine/core"
import { useForm, type UseFormReturnType } from "@mantine/form"
import type { NewNoticeTarget, NoticeTargetWithSecret } from "tollgate-contract/notices.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { readCredits } from "../../format/credits.ts"
import { AmountInput } from "../../ui/amount-input.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { FormModal } from "../../ui/form-modal.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { checkOptional } from "../credits/amount-check.ts"
import { CHANNELS, noticeChoices } from "./notice-words.ts"
import { t } from "../../languages/text.ts"

export interface NewTargetModalProperties {
  /** The account; undefined if the target is the operator's and receives the notices of all accounts. */
  readonly account: string | undefined
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onAdded: (target: NoticeTargetWithSecret) => void
}

interface TargetValues {
  readonly channel: NewNoticeTarget["channel"]
  readonly address: string
  readonly types: string[]
  readonly balance_below: string
}

/** Adds a target for notices. */
export function NewTargetModal({ isOpen, onClose, ...rest }: NewTargetModalProperties) {
  return (
    <FormModal opened={isOpen} onClose={onClose} title={t("Add a target")}>
      <NewTargetForm onClose={onClose} {...rest} />
    </FormModal>
  )
}

function NewTargetForm({ account, onClose, onAdded }: Omit<NewTargetModalProperties, "isOpen">) {
  const form = useForm<TargetValues>({
    initialValues: { channel: "webhook", address: "", types: [], balance_below: "" },
    validate: {
      address: (value) => (value.trim() === "" ? t("Enter an address") : null),
      balance_below: checkOptional,
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async (values, idempotencyKey) => {
    const below = readCredits(values.balance_below)
    const body: NewNoticeTarget = {
      channel: values.channel,
      address: values.address.trim(),
      ...(account !== undefined && { account }),
      ...(values.types.length > 0 && {
        types: values.types as NonNullable<NewNoticeTarget["types"]>,
      }),
      ...(below !== undefined && { balance_below: below }),
    }
    const target = await api("POST /notices/targets", { body }, { idempotencyKey })
    onClose()
    onAdded(target)
    await refresh("/notices")
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <TargetFields form={form} isOperators={account === undefined} />
        <ErrorNotice
          error={error}
          title={t("Could not add the target")}
          unknownTitle={t("The target may or may not have been added")}
        />
        <FormButtons action={t("Add")} isBusy={isBusy} error={error} onClose={onClose} />
      </Stack>
    </form>
  )
}

const ADDRESSES = {
  webhook: { label: t("Address"), placeholder: "https://example.com/tollgate" },
  slack: { label: t("Incoming webhook URL"), placeholder: "https://hooks.slack.com/…" },
  email: { label: t("Email address"), placeholder: "ada@example.com" },
} as const

interface TargetFieldsProperties {
  readonly form: UseFormReturnType<TargetValues>
  readonly isOperators: boolean
}

function TargetFields({ form, isOperators }: TargetFieldsProperties) {
  const { channel, types } = form.values
  return (
    <>
      <Select
        label={t("Channel")}
        data={CHANNELS}
        allowDeselect={false}
        {...form.getInputProps("channel")}
      />
      <TextInput
        type={channel === "email" ? "email" : "url"}
        required
        data-autofocus
        {...ADDRESSES[channel]}
        {...form.getInputProps("address")}
      />
      <MultiSelect
        label={t("Notices")}
        placeholder={types.length === 0 ? t("everything") : ""}
        data={noticeChoices(isOperators)}
        clearable
        {...form.getInputProps("types")}
      />
      <AmountInput
        label={t("Balance below")}
        description={
          isOperators
            ? t("Sent when an account has less than this. Leave empty to ignore balances.")
            : t("Sent when the account has less than this. Leave empty to ignore the balance.")
        }
        placeholder={t("ignored")}
        {...form.getInputProps("balance_below")}
      />
    </>
  )
}
