import { Modal, SimpleGrid, Stack, Switch, TagsInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import type { MemberKeyRules } from "tollgate-contract/member-keys.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { readCredits } from "../../format/credits.ts"
import { AmountInput } from "../../ui/amount-input.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { checkOptional } from "../credits/amount-check.ts"
import { t } from "../../languages/text.ts"

/** The maximum budgets with their labels. */
export const MAX_BUDGETS = [
  { name: "max_budget", label: t("Maximum total budget") },
  { name: "max_daily_budget", label: t("Maximum daily budget") },
  { name: "max_monthly_budget", label: t("Maximum monthly budget") },
] as const

type RuleValues = Record<(typeof MAX_BUDGETS)[number]["name"], string> & {
  readonly may_create: boolean
  readonly models: string[]
}

interface MemberKeysModalProperties {
  readonly account: string
  readonly rules: MemberKeyRules
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Edits the rules for keys that members create. */
export function MemberKeysModal({ isOpen, ...rest }: MemberKeysModalProperties) {
  return (
    <Modal opened={isOpen} onClose={rest.onClose} title={t("Keys of members")} size="lg">
      <RulesForm {...rest} />
    </Modal>
  )
}

function RulesForm({ account, rules, onClose }: Omit<MemberKeysModalProperties, "isOpen">) {
  const form = useForm<RuleValues>({
    initialValues: {
      may_create: rules.may_create,
      models: [...(rules.models ?? [])],
      max_budget: rules.max_budget ?? "",
      max_daily_budget: rules.max_daily_budget ?? "",
      max_monthly_budget: rules.max_monthly_budget ?? "",
    },
    validate: Object.fromEntries(MAX_BUDGETS.map(({ name }) => [name, checkOptional])),
  })
  const { submit, isBusy, error } = useSubmit(form, async (values) => {
    const body = bodyOf(values)
    await api("PUT /accounts/{id}/member-keys", { path: { id: account }, body })
    onClose()
    await refresh("/accounts")
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <Switch
          label={t("Members may create keys")}
          description={t("Members can always rotate, pause and revoke the keys that they created.")}
          {...form.getInputProps("may_create", { type: "checkbox" })}
        />
        <TagsInput
          label={t("Models")}
          description={t("IDs, or patterns with an asterisk. Leave empty for all models.")}
          placeholder={form.values.models.length === 0 ? t("all models") : ""}
          maxTags={100}
          {...form.getInputProps("models")}
        />
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          {MAX_BUDGETS.map(({ name, label }) => (
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

function bodyOf({ may_create, models, ...budgets }: RuleValues): MemberKeyRules {
  const globs = models.flatMap((text) => text.split(/[,\s]+/)).filter((part) => part !== "")
  return {
    may_create,
    models: globs.length === 0 ? null : globs,
    max_budget: readCredits(budgets.max_budget) ?? null,
    max_daily_budget: readCredits(budgets.max_daily_budget) ?? null,
    max_monthly_budget: readCredits(budgets.max_monthly_budget) ?? null,
  }
}
