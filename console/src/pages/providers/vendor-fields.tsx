import { TextInput, Textarea } from "@mantine/core"
import type { Vendor } from "tollgate-contract/catalog.ts"
import type { TypedFields } from "./provider-form.ts"
import { PasswordField } from "../../ui/password-field.tsx"

export interface VendorFieldsProperties {
  readonly vendor: Vendor
  readonly typed: TypedFields
  readonly errors: Readonly<Record<string, string>>
  /** Secrets that are set already and stay when their field is left empty. */
  readonly set?: readonly string[]
  readonly onChange: (typed: TypedFields) => void
}

/** The fields that a vendor asks for, in its order. */
export function VendorFields({ vendor, typed, errors, set, onChange }: VendorFieldsProperties) {
  const several = (set ?? []).flatMap((name) => /^api_keys\.(.+)$/.exec(name)?.[1] ?? [])
  return vendor.fields.map((field) => {
    if (field.name === "api_key" && several.length > 0) {
      return (
        <TextInput
          key={field.name}
          label="API keys"
          description="Several keys, which are changed together through the management API."
          value={several.join(", ")}
          disabled
        />
      )
    }
    const isSet = set?.includes(field.name) === true
    const shared = {
      label: field.label,
      required: field.is_required && !isSet,
      withAsterisk: field.is_required && !isSet,
      placeholder: isSet ? "Set; leave empty to keep it" : (field.placeholder ?? ""),
      value: typed[field.name] ?? "",
      error: errors[field.name],
      onChange: (event: { currentTarget: { value: string } }) =>
        onChange({ ...typed, [field.name]: event.currentTarget.value }),
    }
    if (!field.is_secret) return <TextInput key={field.name} {...shared} />
    // A service account's key is a whole file, which a field of one line would flatten.
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
    // "new-password": no browser is to fill in, or keep, a vendor's key as a password of this page.
    return <PasswordField key={field.name} {...shared} autoComplete="new-password" />
  })
}
