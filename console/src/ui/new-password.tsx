import { type PasswordInputProps } from "@mantine/core"
import { PasswordField } from "./password-field.tsx"
import { t } from "../languages/text.ts"

const MIN_LENGTH = 10

/** Returns the error of a new password; null if it is valid. */
export function checkPassword(value: string): string | null {
  return value.length < MIN_LENGTH ? t("At least {min} characters", { min: MIN_LENGTH }) : null
}

/** A field for a new password. */
export function NewPassword(properties: PasswordInputProps) {
  return (
    <PasswordField
      label={t("Password")}
      description={t("At least {min} characters. A sentence works well.", { min: MIN_LENGTH })}
      autoComplete="new-password"
      {...properties}
    />
  )
}
