import { Button, Group, MultiSelect, Select, Stack, Table, Text, TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import type { Model, ModelEntry } from "tollgate-contract/catalog.ts"
import {
  type EffectiveRule,
  RULE_SOURCE_WORDS,
  ruleText,
} from "tollgate-contract/effective-rules.ts"
import type { RuleName } from "tollgate-contract/model-rules.ts"
import { MODEL_RULES, RULE_NAMES, ruleSentence } from "tollgate-contract/rule-definitions.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { IconEdit } from "../../ui/icons.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { When } from "../../ui/when.tsx"
import { modelPath } from "./filter-models.ts"
import {
  chosen,
  entryWithRules,
  optionsOf,
  type RuleValue,
  type RuleValues,
  ruleValues,
} from "./rule-values.ts"
import { known, t } from "../../languages/text.ts"

/** Placeholder of a field without an override. */
const AS_KNOWN = t("as known")

/** Shows the rules of a model at each of its deployments, with the operator's overrides. */
export function ModelRules({ model }: { readonly model: Model }) {
  const [isEditing, setEditing] = useState(false)
  const save = useMutation({
    mutationFn: (body: ModelEntry) =>
      api("PUT /models/{provider}/{name...}", { path: modelPath(model.id), body }),
    onSuccess: async () => {
      setEditing(false)
      await refresh("/models")
      notifyDone(t("Rules of {id} changed.", { id: model.id }))
    },
  })
  return (
    <Stack gap="sm">
      {model.deployments.map(({ provider, model: name, rules }) => (
        <DeploymentRules key={`${provider} ${name}`} place={`${provider}/${name}`} rules={rules} />
      ))}
      {isEditing ? (
        <RuleForm
          model={model}
          isBusy={save.isPending}
          onSave={(entry) => save.mutate(entry)}
          onCancel={() => setEditing(false)}
        />
      ) : (
        !model.is_locked && (
          <Group>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconEdit size={14} />}
              onClick={() => setEditing(true)}
            >
              {t("Edit rules")}
            </Button>
          </Group>
        )
      )}
      <ErrorNotice error={save.error} />
    </Stack>
  )
}

interface DeploymentRulesProperties {
  readonly place: string
  readonly rules: readonly EffectiveRule[]
}

function DeploymentRules({ place, rules }: DeploymentRulesProperties) {
  return (
    <div>
      <Text size="xs" c="dimmed" className="mono anywhere">
        {place}
      </Text>
      {rules.length === 0 ? (
        <Text size="sm">{t("No restriction is known.")}</Text>
      ) : (
        <Table verticalSpacing={4} aria-label={t("Rules at {place}", { place })}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("Rule")}</Table.Th>
              <Table.Th>{t("Value")}</Table.Th>
              <Table.Th>{t("Source")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rules.map((rule) => (
              <Table.Tr key={rule.name}>
                <Table.Td>{known(MODEL_RULES[rule.name].label)}</Table.Td>
                <Table.Td className="anywhere">{known(ruleText(rule.value))}</Table.Td>
                <Table.Td title={rule.note ?? undefined}>
                  {known(RULE_SOURCE_WORDS[rule.source])}
                  {rule.source === "learned" && rule.note !== null && (
                    <>
                      {" "}
                      <When at={rule.note} />
                    </>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </div>
  )
}

interface RuleFormProperties {
  readonly model: Model
  readonly isBusy: boolean
  readonly onSave: (entry: ModelEntry) => void
  readonly onCancel: () => void
}

function RuleForm({ model, isBusy, onSave, onCancel }: RuleFormProperties) {
  const [values, setValues] = useState<RuleValues>(() => ruleValues(model))
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSave(entryWithRules(model, values))
      }}
    >
      <Stack gap="sm">
        <Text size="xs" c="dimmed">
          {t(
            "Overrides for all deployments of the model. An empty field keeps the known rule. Rejections by the provider never change a rule that is set here.",
          )}
        </Text>
        {RULE_NAMES.map((name) => (
          <RuleField
            key={name}
            name={name}
            value={values[name]}
            onChange={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
        <Group gap="xs">
          <Button type="submit" size="xs" loading={isBusy}>
            {t("Save")}
          </Button>
          <Button size="xs" variant="default" onClick={onCancel}>
            {t("Cancel")}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface RuleFieldProperties {
  readonly name: RuleName
  readonly value: RuleValue
  readonly onChange: (value: RuleValue) => void
}

function RuleField({ name, value, onChange }: RuleFieldProperties) {
  const { label, meaning, type } = MODEL_RULES[name]
  const texts = {
    label: known(label),
    description: known(ruleSentence(meaning)),
    size: "xs",
  } as const
  if (type === "list") {
    const before = typeof value === "object" ? value : []
    return (
      <MultiSelect
        {...texts}
        clearable
        searchable
        {...(before.length === 0 && { placeholder: AS_KNOWN })}
        data={optionsOf(name)}
        value={[...before]}
        onChange={(after) => onChange(chosen(before, after))}
      />
    )
  }
  const text = typeof value === "string" ? value : ""
  if (type === "number") {
    return (
      <TextInput
        {...texts}
        inputMode="numeric"
        placeholder={AS_KNOWN}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  return (
    <Select
      {...texts}
      clearable
      placeholder={AS_KNOWN}
      data={optionsOf(name)}
      value={text === "" ? null : text}
      onChange={(choice) => onChange(choice ?? undefined)}
    />
  )
}
