import { Button, TextInput, Textarea } from "@mantine/core"
import type { Vendor } from "tollgate-contract/catalog.ts"
import type { TypedFields } from "./provider-form.ts"
import { PasswordField } from "../../ui/password-field.tsx"
import { SeveralKeys } from "./several-keys.tsx"
import { severalKeys, type TypedKey } from "./typed-keys.ts"
import { known, t } from "../../languages/text.ts"

export interface VendorFieldsProperties {
  readonly vendor: Vendor
  readonly typed: TypedFields
  readonly errors: Readonly<Record<string, string>>
  /** Names of stored secrets. They stay unchanged if their fields are left empty. */
  readonly set?: readonly string[]
  readonly onChange: (typed: TypedFields) => void
  /** The rows if several keys replace the single API key; undefined if there is one key. */
  readonly keys: readonly TypedKey[] | undefined
  readonly onKeys: (keys: readonly TypedKey[]) => void
}

/** Shows the fields of a vendor, in the vendor's order. */
export function VendorFields(properties: VendorFieldsProperties) {
  const { vendor, typed, errors, set, onChange, keys, onKeys } = properties
  return vendor.fields.map((field) => {
    const isKey = field.name === "api_key"
    if (isKey && keys !== undefined) {
      return <SeveralKeys key={field.name} keys={keys} errors={errors} onChange={onKeys} />
    }
    const isSet = set?.includes(field.name) === true
    const shared = {
      label: known(field.label),
      required: field.is_required && !isSet,
      withAsterisk: field.is_required && !isSet,
      placeholder: isSet ? t("Set; leave empty to keep it") : (field.placeholder ?? ""),
      value: typed[field.name] ?? "",
      error: errors[field.name],
      onChange: (event: { currentTarget: { value: string } }) =>
        onChange({ ...typed, [field.name]: event.currentTarget.value }),
    }
    if (!field.is_secret) return <TextInput key={field.name} {...shared} />
    // A service account key is a file with several lines. A single-line field would remove its line breaks.
    if (/json|credentials|private/i.test(field.name)) {
      return (
        <Textarea
          key={field.name}
          {...shared}
          autosize
          minRows={3}
          maxRows={8}
          autoComplete="off"
        />
      )
    }
    // "new-password" prevents the browser from filling in or storing a vendor's key as the password for this page.
    const password = <PasswordField key={field.name} {...shared} autoComplete="new-password" />
    if (!isKey) return password
    return (
      <div key={field.name}>
        {password}
        <Button
          variant="subtle"
          size="compact-xs"
          mt={4}
          onClick={() => onKeys(severalKeys(isSet, shared.value))}
        >
          {t("Use several keys")}
        </Button>
      </div>
    )
  })
}
