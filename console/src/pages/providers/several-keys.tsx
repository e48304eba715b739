import { ActionIcon, Button, Group, NumberInput, Text, TextInput } from "@mantine/core"
import { PasswordField } from "../../ui/password-field.tsx"
import { IconPlus, IconTrash } from "../../ui/icons.tsx"
import { type TypedKey, withAnother } from "./typed-keys.ts"
import { t } from "../../languages/text.ts"

export interface SeveralKeysProperties {
  readonly keys: readonly TypedKey[]
  /** Errors by the path of the field in a row: `api_keys[0].api_key`. */
  readonly errors: Readonly<Record<string, string>>
  readonly onChange: (keys: readonly TypedKey[]) => void
}

/** Edits the keys of a provider that has several keys. Of stored keys, only the names are shown. */
export function SeveralKeys({ keys, errors, onChange }: SeveralKeysProperties) {
  const change = (row: number, part: Partial<TypedKey>) =>
    onChange(keys.map((key) => (key.row === row ? { ...key, ...part } : key)))
  return (
    <div role="group" aria-label={t("API keys")}>
      <Text size="sm" fw={500}>
        {t("API keys")}
      </Text>
      <Text size="xs" c="dimmed" mb="xs">
        {t(
          "Requests are shared by weight; a key with weight 0 is used only when the others fail. Keep the name when you replace a key: files and conversations stored at the vendor are found by it.",
        )}
      </Text>
      {keys.map((key, index) => (
        <KeyRow
          key={key.row}
          typed={key}
          faultOf={(name) => errors[`api_keys[${index}]${name}`]}
          onChange={(part) => change(key.row, part)}
          onRemove={
            keys.length === 1
              ? undefined
              : () => onChange(keys.filter(({ row }) => row !== key.row))
          }
        />
      ))}
      {errors["api_keys"] !== undefined && (
        <Text size="xs" c="red" mb="xs">
          {errors["api_keys"]}
        </Text>
      )}
      <Button
        variant="default"
        size="xs"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => onChange(withAnother(keys))}
      >
        {t("Add a key")}
      </Button>
    </div>
  )
}

interface KeyRowProperties {
  readonly typed: TypedKey
  /** @param name the name of a field, with its leading dot; empty for the entire row. */
  readonly faultOf: (name: string) => string | undefined
  readonly onChange: (part: Partial<TypedKey>) => void
  /** Removes the key; undefined if it is the only key. */
  readonly onRemove: (() => void) | undefined
}

function KeyRow({ typed, faultOf, onChange, onRemove }: KeyRowProperties) {
  const { was, name, secret, weight } = typed
  return (
    <Group
      gap="xs"
      wrap="nowrap"
      align="flex-start"
      mb="xs"
      role="group"
      aria-label={t("Key {name}", { name })}
    >
      <TextInput
        aria-label={t("Name")}
        placeholder={t("Name")}
        flex="1 1 6rem"
        value={name}
        error={faultOf(".name") ?? faultOf("")}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <PasswordField
        aria-label={t("Key")}
        placeholder={was === null ? "sk-…" : t("Set; leave empty to keep it")}
        flex="2 1 10rem"
        value={secret}
        error={faultOf(".api_key")}
        autoComplete="new-password"
        onChange={(event) => onChange({ secret: event.currentTarget.value })}
      />
      <NumberInput
        aria-label={t("Weight")}
        w="5rem"
        min={0}
        max={1_000_000}
        value={weight}
        error={faultOf(".weight")}
        onChange={(value) => onChange({ weight: value })}
      />
      <ActionIcon
        variant="subtle"
        color="red"
        size={36}
        aria-label={t("Remove the key {name}", { name })}
        disabled={onRemove === undefined}
        onClick={onRemove}
      >
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </Group>
  )
}
