import { Accordion, Select, SimpleGrid, Stack, Switch, TagsInput, TextInput } from "@mantine/core"
import type { UseFormReturnType } from "@mantine/form"
import { useQuery } from "@tanstack/react-query"
import type { MemberKeyRules } from "tollgate-contract/member-keys.ts"
import { oneQuery } from "../../api/queries.ts"
import { creditsText } from "../../format/credits.ts"
import { joined } from "../../format/lists.ts"
import { AmountInput } from "../../ui/amount-input.tsx"
import type { KeyValues } from "./key-values.ts"
import { t } from "../../languages/text.ts"

const EXPIRIES = [
  { value: "never", label: t("Never") },
  { value: "7", label: t("In 7 days") },
  { value: "30", label: t("In 30 days") },
  { value: "90", label: t("In 90 days") },
  { value: "365", label: t("In one year") },
  { value: "custom", label: t("On a date") },
]

export type KeyForm = UseFormReturnType<KeyValues>

interface KeyFieldsProperties {
  readonly form: KeyForm
  /** The rules for keys of members; undefined if the user is not restricted. */
  readonly rules: MemberKeyRules | undefined
}

/** The fields of a key: name, expiry, spending limits and models. */
export function KeyFields({ form, rules }: KeyFieldsProperties) {
  return (
    <Stack>
      <TextInput
        label={t("Name")}
        placeholder={t("production, my laptop")}
        description={t("Helps you recognize the key.")}
        data-autofocus
        {...form.getInputProps("name")}
      />
      <SimpleGrid cols={{ base: 1, xs: form.values.expiry === "custom" ? 2 : 1 }}>
        <Select
          label={t("Expires")}
          data={EXPIRIES}
          allowDeselect={false}
          {...form.getInputProps("expiry")}
        />
        {form.values.expiry === "custom" && (
          <TextInput
            label={t("When")}
            type="datetime-local"
            {...form.getInputProps("expires_at")}
          />
        )}
      </SimpleGrid>
      <BudgetFields form={form} rules={rules} />
      <Accordion
        variant="separated"
        chevronPosition="left"
        defaultValue={openPart(form.values, rules)}
      >
        <Accordion.Item value="limits">
          <Accordion.Control>{t("Models, rate limits and access")}</Accordion.Control>
          <Accordion.Panel>
            <LimitFields form={form} rules={rules} />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  )
}

function openPart(values: KeyValues, rules: MemberKeyRules | undefined): string | null {
  const isLimited =
    hasModels(rules) ||
    values.models.length > 0 ||
    values.origins.length > 0 ||
    values.addresses.length > 0 ||
    values.is_read_only ||
    values.aliases.length > 0 ||
    values.requests_per_minute !== "" ||
    values.tokens_per_minute !== "" ||
    values.concurrent_requests !== ""
  return isLimited ? "limits" : null
}

function BudgetFields({ form, rules }: KeyFieldsProperties) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <AmountField label={t("Total budget")} name="budget" form={form} rules={rules} />
      <AmountField label={t("Daily budget")} name="daily_budget" form={form} rules={rules} />
      <AmountField label={t("Monthly budget")} name="monthly_budget" form={form} rules={rules} />
    </SimpleGrid>
  )
}

interface AmountFieldProperties extends KeyFieldsProperties {
  readonly label: string
  readonly name: "budget" | "daily_budget" | "monthly_budget"
}

function AmountField({ label, name, form, rules }: AmountFieldProperties) {
  const max = rules?.[`max_${name}`] ?? null
  return (
    <AmountInput
      label={label}
      placeholder={max === null ? t("no limit") : t("at most {max}", { max: creditsText(max) })}
      {...form.getInputProps(name)}
    />
  )
}

function hasModels(rules: MemberKeyRules | undefined): boolean {
  return (rules?.models ?? null) !== null
}

function modelsText(rules: MemberKeyRules | undefined): string {
  const allowed = rules?.models ?? null
  return allowed === null
    ? t("IDs, or patterns with an asterisk. Leave empty for all models.")
    : t("IDs, or patterns with an asterisk, of the models that members may select: {allowed}.", {
        allowed: joined(allowed),
      })
}

function LimitFields({ form, rules }: KeyFieldsProperties) {
  const models = useQuery(oneQuery("GET /models", { query: { limit: 2_000 } }))
  const ids = models.data?.data.map((model) => model.id) ?? []
  const providers = new Set(models.data?.data.map((model) => `${model.provider}/*`))
  return (
    <Stack>
      <TagsInput
        label={t("Models")}
        description={modelsText(rules)}
        placeholder={form.values.models.length === 0 && !hasModels(rules) ? t("all models") : ""}
        data={[...providers, ...ids]}
        limit={50}
        maxTags={100}
        {...form.getInputProps("models")}
      />
      <TagsInput
        label={t("Aliases")}
        description={t(
          "Additional model names, such as gpt-4o=openai/gpt-5.4. The key must be allowed to use the model itself.",
        )}
        placeholder={form.values.aliases.length === 0 ? t("none") : ""}
        maxTags={100}
        {...form.getInputProps("aliases")}
      />
      <RateFields form={form} />
      <TagsInput
        label={t("Web pages")}
        description={t(
          "Origins of pages that may use this key from a browser. Anyone who opens such a page can read the key.",
        )}
        placeholder={form.values.origins.length === 0 ? "https://app.example.com" : ""}
        maxTags={20}
        {...form.getInputProps("origins")}
      />
      <TagsInput
        label={t("Addresses")}
        description={t(
          "Allowed IP addresses, or ranges such as 10.0.0.0/8. Leave empty to allow any address.",
        )}
        placeholder={form.values.addresses.length === 0 ? t("anywhere") : ""}
        maxTags={100}
        {...form.getInputProps("addresses")}
      />
      <Switch
        label={t("Read-only")}
        description={t(
          "Can list models and read credits and receipts, but not make paid requests. For dashboards.",
        )}
        {...form.getInputProps("is_read_only", { type: "checkbox" })}
      />
    </Stack>
  )
}

function RateFields({ form }: Pick<KeyFieldsProperties, "form">) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <TextInput
        label={t("Requests per minute")}
        placeholder={t("no limit")}
        inputMode="numeric"
        {...form.getInputProps("requests_per_minute")}
      />
      <TextInput
        label={t("Tokens per minute")}
        placeholder={t("no limit")}
        inputMode="numeric"
        {...form.getInputProps("tokens_per_minute")}
      />
      <TextInput
        label={t("Requests at the same time")}
        placeholder={t("no limit")}
        inputMode="numeric"
        {...form.getInputProps("concurrent_requests")}
      />
    </SimpleGrid>
  )
}
