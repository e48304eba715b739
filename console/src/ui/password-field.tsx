import { PasswordInput, type PasswordInputProps } from "@mantine/core"

/** A password field. Unlike Mantine's, it also marks errors for screen readers. */
export function PasswordField(properties: PasswordInputProps) {
  const { error } = properties
  const isWrong = error !== undefined && error !== null && error !== false && error !== ""
  return <PasswordInput {...(isWrong && { "aria-invalid": true })} {...properties} />
}
