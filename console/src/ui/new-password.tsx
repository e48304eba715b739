import { type PasswordInputProps } from "@mantine/core"
import { PasswordField } from "./password-field.tsx"

const SHORTEST = 10

/** Returns the error of a new password; null if it is valid. */
export function checkPassword(value: string): string | null {
  return value.length < SHORTEST ? `At least ${SHORTEST} characters` : null
}

/** A field for a new password. */
export function NewPassword(properties: PasswordInputProps) {
  return (
    <PasswordField
      label="Password"
      description={`At least ${SHORTEST} characters. A sentence works well.`}
      autoComplete="new-password"
      {...properties}
    />
  )
}
