import { Badge, Button, CloseButton, Group, Select, Text, TextInput } from "@mantine/core"
import type { Model } from "tollgate-contract/catalog.ts"
import { IconLock } from "../../ui/icons.tsx"
import { ModelSelect } from "../../ui/model-select.tsx"
import { PasswordField } from "../../ui/password-field.tsx"
import type { Setting } from "./use-settings-form.ts"
import { known, t } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"

/** Settings that name a model, with the kinds of models that they accept. */
const MODEL_KINDS: Readonly<Record<string, readonly Model["kind"][]>> = {
  "defaults.image_model": ["image"],
  "defaults.translation_model": ["chat"],
}

/** Settings with a fixed set of values. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  unknown_models: ["reject", "family"],
  "images.mask": ["required", "optional"],
  "images.rules": ["specification", "provider"],
}

export interface SettingFieldProperties {
  readonly setting: Setting
  readonly value: string
  readonly fault: string | undefined
  /** Whether the stored secret is removed when the form is saved. */
  readonly isRemoved: boolean
  /** Null removes a stored secret. */
  readonly onChange: (value: string | null) => void
}

/** Shows one setting. An empty field restores the default. */
export function SettingField(properties: SettingFieldProperties) {
  const { setting, value, fault, onChange } = properties
  const kinds = MODEL_KINDS[setting.name]
  const choices = CHOICES[setting.name]
  const reset = () => onChange("")
  const common = {
    label: <SettingLabel setting={setting} />,
    description: known(setting.help),
    placeholder:
      setting.default === null ? t("none") : t("{value} (default)", { value: setting.default }),
    error: fault,
    disabled: setting.is_locked,
  }
  if (setting.is_secret) return <SecretField {...properties} />
  if (kinds !== undefined) {
    return (
      <ModelSelect
        {...common}
        kinds={kinds}
        value={value === "" ? null : value}
        onChange={onChange}
        onClear={reset}
      />
    )
  }
  if (choices !== undefined) {
    return (
      <Select
        {...common}
        data={choices.map((choice) => ({ value: choice, label: word(choice) }))}
        value={value === "" ? null : value}
        onChange={(chosen) => onChange(chosen ?? "")}
        clearable
        clearButtonProps={{ "aria-label": t("Use the default") }}
      />
    )
  }
  return (
    <TextInput
      {...common}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      rightSection={
        value === "" || setting.is_locked ? null : (
          <CloseButton size="sm" aria-label={t("Use the default")} onClick={reset} />
        )
      }
    />
  )
}

/** A field for a secret, which can be replaced or removed, but not read. */
function SecretField({ setting, value, fault, isRemoved, onChange }: SettingFieldProperties) {
  const { is_set: isSet, is_locked: isLocked } = setting
  const label = known(setting.label)
  const kept = isSet ? t("set; type to replace it") : t("none")
  return (
    <Group gap="xs" align="end" wrap="nowrap">
      <PasswordField
        flex={1}
        label={<SettingLabel setting={setting} />}
        description={known(setting.help)}
        placeholder={isRemoved ? t("will be removed") : kept}
        error={fault}
        disabled={isLocked}
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {isSet && !isLocked && (
        <Button
          variant="default"
          aria-label={isRemoved ? t("Keep {label}", { label }) : t("Remove {label}", { label })}
          onClick={() => onChange(isRemoved ? "" : null)}
        >
          {isRemoved ? t("Keep") : t("Remove")}
        </Button>
      )}
    </Group>
  )
}

function SettingLabel({ setting }: { readonly setting: Setting }) {
  return (
    <Group gap={6} component="span" display="inline-flex">
      {known(setting.label)}
      {setting.is_locked && (
        <Badge
          variant="default"
          radius="sm"
          tt="none"
          fw={500}
          leftSection={<IconLock size={12} aria-hidden />}
        >
          {t("set in the file or environment")}
        </Badge>
      )}
      <Text span size="xs" c="dimmed" ff="monospace">
        {setting.name}
      </Text>
    </Group>
  )
}
