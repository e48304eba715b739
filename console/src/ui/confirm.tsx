import { Button, Group, Modal, Stack, Text } from "@mantine/core"
import { useState, type ReactNode } from "react"
import { ErrorNotice } from "./error-notice.tsx"
import { t } from "../languages/text.ts"

export interface ConfirmProperties {
  readonly isOpen: boolean
  readonly title: string
  /** Describes the consequences, and whether they can be undone. */
  readonly children: ReactNode
  /** The label of the button: "Revoke the key". */
  readonly action: string
  readonly isDangerous?: boolean
  /** Performs the action. If it throws, the error is shown and the dialog stays open. */
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks for a confirmation before an irreversible action. */
export function Confirm(properties: ConfirmProperties) {
  const { isOpen, title, children, action, isDangerous = true, onConfirm, onClose } = properties
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)

  function close() {
    setError(null)
    onClose()
  }

  async function confirm() {
    setBusy(true)
    setError(null)
    try {
      await onConfirm()
      onClose()
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Modal opened={isOpen} onClose={close} title={title}>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        <ErrorNotice error={error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            {t("Cancel")}
          </Button>
          <Button
            {...(isDangerous && { color: "red" })}
            loading={isBusy}
            onClick={() => void confirm()}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
