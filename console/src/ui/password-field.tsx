import { PasswordInput, type PasswordInputProps } from "@mantine/core"

/** A field for what is not shown; unlike Mantine's, it is marked as wrong for those who hear it, too. */
export function PasswordField(properties: PasswordInputProps) {
  const { error } = properties
  const isWrong = error !== undefined && error !== null && error !== false && error !== ""
  return <PasswordInput {...(isWrong && { "aria-invalid": true })} {...properties} />
}
