import { type PasswordInputProps } from "@mantine/core"
import { PasswordField } from "./password-field.tsx"

const MIN_LENGTH = 10

/** Returns the error of a new password; null if it is valid. */
export function checkPassword(value: string): string | null {
  return value.length < MIN_LENGTH ? `At least ${MIN_LENGTH} characters` : null
}

/** A field for a new password. */
export function NewPassword(properties: PasswordInputProps) {
  return (
    <PasswordField
      label="Password"
      description={`At least ${MIN_LENGTH} characters. A sentence works well.`}
      autoComplete="new-password"
      {...properties}
    />
  )
}
