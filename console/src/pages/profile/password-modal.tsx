import { Button, Group, Modal, Stack, Text } from "@mantine/core"
import { useForm } from "@mantine/form"
import type { ReactNode } from "react"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { PasswordField } from "../../ui/password-field.tsx"
import { t } from "../../languages/text.ts"

export interface PasswordFormProperties<RouteResponse> {
  readonly action: string
  /** Sends the request with the entered password. */
  readonly send: (password: string) => Promise<RouteResponse>
  readonly children?: ReactNode
  readonly onCancel: () => void
  readonly onDone: (response: RouteResponse) => Promise<void>
}

export interface PasswordModalProperties<RouteResponse> extends Omit<
  PasswordFormProperties<RouteResponse>,
  "onCancel"
> {
  readonly isOpen: boolean
  readonly title: string
  readonly onClose: () => void
}

/** Confirms an action with the user's password. */
export function PasswordModal<RouteResponse>(properties: PasswordModalProperties<RouteResponse>) {
  const { isOpen, title, onClose, onDone, ...form } = properties
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <PasswordForm<RouteResponse>
        {...form}
        onCancel={onClose}
        onDone={async (response) => {
          onClose()
          await onDone(response)
        }}
      />
    </Modal>
  )
}

/** The form of `PasswordModal`, for use inside another modal. */
export function PasswordForm<RouteResponse>(properties: PasswordFormProperties<RouteResponse>) {
  const { action, send, children, onCancel, onDone } = properties
  const form = useForm({
    initialValues: { password: "" },
    validate: { password: (value) => (value === "" ? t("Enter your password") : null) },
  })
  const { submit, isBusy, error } = useSubmit(form, async ({ password }) => {
    await onDone(await send(password))
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        {children !== undefined && <Text size="sm">{children}</Text>}
        <PasswordField
          label={t("Your password")}
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps("password")}
        />
        <ErrorNotice error={error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {t("Cancel")}
          </Button>
          <Button type="submit" loading={isBusy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
