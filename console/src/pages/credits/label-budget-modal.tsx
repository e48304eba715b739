import { Select, SimpleGrid, Stack, TextInput } from "@mantine/core"
import { useForm, type UseFormReturnType } from "@mantine/form"
import type { LabelBudget } from "tollgate-contract/label-budgets.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { AmountInput } from "../../ui/amount-input.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { FormModal } from "../../ui/form-modal.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { checkOptional } from "./amount-check.ts"
import {
  budgetOf,
  type BudgetValues,
  NO_BUDGET,
  TARGETS,
  withBudget,
} from "./label-budget-words.ts"
import { t } from "../../languages/text.ts"

export interface LabelBudgetModalProperties {
  readonly account: string
  /** Existing budgets. */
  readonly budgets: readonly LabelBudget[]
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Sets a spending limit for an end user or for a tag. */
export function LabelBudgetModal({ isOpen, ...rest }: LabelBudgetModalProperties) {
  return (
    <FormModal opened={isOpen} onClose={rest.onClose} title={t("Set a budget")}>
      <LabelBudgetForm {...rest} />
    </FormModal>
  )
}

function LabelBudgetForm({
  account,
  budgets,
  onClose,
}: Omit<LabelBudgetModalProperties, "isOpen">) {
  const form = useForm<BudgetValues>({
    initialValues: NO_BUDGET,
    validate: {
      user: (user, { target }) =>
        target === "user" && user.trim() === "" ? t("Enter a user") : null,
      tag: (tag, { target }) =>
        /^values?$/.test(target) && !/^[^=]+$/.test(tag.trim())
          ? t("Enter the name of a tag")
          : null,
      value: (value, { target }) =>
        target === "value" && value.trim() === "" ? t("Enter a value") : null,
      daily_budget: (value, { monthly_budget: monthly }) =>
        value.trim() === "" && monthly.trim() === ""
          ? t("Enter an amount for a day or a month")
          : checkOptional(value),
      monthly_budget: checkOptional,
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async (values) => {
    const body = { budgets: withBudget(budgets, budgetOf(values)) }
    await api("PUT /accounts/{id}/label-budgets", { path: { id: account }, body })
    onClose()
    await refresh("/accounts")
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <LabelFields form={form} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <AmountInput
            label={t("Credits a day")}
            placeholder={t("no limit")}
            {...form.getInputProps("daily_budget")}
          />
          <AmountInput
            label={t("Credits a month")}
            placeholder={t("no limit")}
            {...form.getInputProps("monthly_budget")}
          />
        </SimpleGrid>
        <ErrorNotice error={error} title={t("Could not set the budget")} />
        <FormButtons action={t("Set [button]")} isBusy={isBusy} error={error} onClose={onClose} />
      </Stack>
    </form>
  )
}

function LabelFields({ form }: { readonly form: UseFormReturnType<BudgetValues> }) {
  const { target } = form.values
  return (
    <>
      <Select
        label={t("Applies to")}
        data={TARGETS}
        allowDeselect={false}
        {...form.getInputProps("target")}
      />
      {target === "user" && (
        <TextInput
          label={t("End user")}
          description={t("As your requests name them, in x-tollgate-user or in the body")}
          data-autofocus
          {...form.getInputProps("user")}
        />
      )}
      {(target === "value" || target === "values") && (
        <TextInput
          label={t("Tag")}
          description={t(
            "As your requests name it, in x-tollgate-tags or in the metadata of the body",
          )}
          placeholder="feature"
          data-autofocus
          {...form.getInputProps("tag")}
        />
      )}
      {target === "value" && (
        <TextInput label={t("Value")} placeholder="search" {...form.getInputProps("value")} />
      )}
    </>
  )
}
