import { type PasswordInputProps } from "@mantine/core"
import { PasswordField } from "./password-field.tsx"

const SHORTEST = 10

/** What is wrong with a new password; null when nothing is. */
export function checkPassword(value: string): string | null {
  return value.length < SHORTEST ? `At least ${SHORTEST} characters` : null
}

/** A new password is chosen. */
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
