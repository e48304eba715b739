import { SimpleGrid, Stack, TagsInput, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import type { Account } from "tollgate-contract/accounts.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { AmountInput } from "../../ui/amount-input.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { FormModal } from "../../ui/form-modal.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { checkOptional } from "../credits/amount-check.ts"
import {
  ACCOUNT_BUDGETS,
  ACCOUNT_LIMITS,
  checkLimit,
  limitBodyOf,
  limitValuesOf,
  type LimitValues,
} from "./limit-values.ts"
import { t } from "../../languages/text.ts"

export interface LimitsModalProperties {
  readonly account: Account
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Edits the limits of an account, which apply to all its keys together. */
export function LimitsModal({ account, isOpen, onClose }: LimitsModalProperties) {
  return (
    <FormModal
      opened={isOpen}
      onClose={onClose}
      title={t("Limits of {name}", { name: account.name })}
      size="lg"
    >
      <LimitsForm account={account} onClose={onClose} />
    </FormModal>
  )
}

function LimitsForm({ account, onClose }: Omit<LimitsModalProperties, "isOpen">) {
  const checks = ACCOUNT_LIMITS.map(
    ({ name, least }) => [name, (value: string) => checkLimit(value, least)] as const,
  )
  const budgetChecks = ACCOUNT_BUDGETS.map(({ name }) => [name, checkOptional] as const)
  const form = useForm<LimitValues>({
    initialValues: limitValuesOf(account),
    validate: Object.fromEntries([...checks, ...budgetChecks]),
  })
  const { submit, isBusy, error } = useSubmit(form, async (values) => {
    await api("PATCH /accounts/{id}", { path: { id: account.id }, body: limitBodyOf(values) })
    onClose()
    await refresh("/accounts")
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <TagsInput
          label={t("Models")}
          description={t("IDs, or patterns with an asterisk. Leave empty for all models.")}
          placeholder={form.values.models.length === 0 ? t("all models") : ""}
          maxTags={100}
          {...form.getInputProps("models")}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {ACCOUNT_LIMITS.map(({ name, label }) => (
            <TextInput
              key={name}
              label={label}
              placeholder={t("no limit")}
              inputMode="numeric"
              {...form.getInputProps(name)}
            />
          ))}
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {ACCOUNT_BUDGETS.map(({ name, label }) => (
            <AmountInput
              key={name}
              label={label}
              placeholder={t("no limit")}
              {...form.getInputProps(name)}
            />
          ))}
        </SimpleGrid>
        <ErrorNotice error={error} />
        <FormButtons action={t("Save")} isBusy={isBusy} onClose={onClose} />
      </Stack>
    </form>
  )
}
