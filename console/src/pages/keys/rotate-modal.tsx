import { Button, Group, Modal, Select, Stack, Text } from "@mantine/core"
import { useState } from "react"
import type { Key, KeyWithSecret } from "tollgate-contract/keys.ts"
import { isOutcomeUnknown } from "../../api/api-error.ts"
import { api } from "../../api/client.ts"
import { useRequestKeys } from "../../api/idempotency-key.ts"
import { refresh } from "../../api/refresh.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { t } from "../../languages/text.ts"

const GRACES = [
  { value: "0", label: t("Revoke it immediately") },
  { value: "3600", label: t("One hour") },
  { value: "86400", label: t("A day") },
  { value: "604800", label: t("A week") },
  { value: "2592000", label: t("30 days") },
]

export interface RotateModalProperties {
  /** The key to rotate; undefined if the dialog is closed. */
  readonly target: Key | undefined
  readonly onClose: () => void
  readonly onRotated: (key: KeyWithSecret) => void
}

/**
 * Gives a key a new secret. The old secret works for a grace period, so that running clients do not
 * fail.
 */
export function RotateModal({ target, onClose, onRotated }: RotateModalProperties) {
  return (
    <Modal
      opened={target !== undefined}
      onClose={onClose}
      title={t("Rotate {name}", { name: target?.name ?? "" })}
    >
      {target !== undefined && (
        <RotateForm target={target} onClose={onClose} onRotated={onRotated} />
      )}
    </Modal>
  )
}

interface RotateFormProperties extends RotateModalProperties {
  readonly target: Key
}

function RotateForm({ target, onClose, onRotated }: RotateFormProperties) {
  const [grace, setGrace] = useState("86400")
  const keys = useRequestKeys()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)

  async function rotate() {
    setBusy(true)
    setError(null)
    try {
      const rotation = { path: { id: target.id }, body: { grace_seconds: Number(grace) } }
      const sending = { idempotencyKey: keys.current }
      const rotated = await api("POST /keys/{id}/rotate", rotation, sending)
      onClose()
      onRotated(rotated)
      await refresh("/keys")
    } catch (thrown) {
      setError(keys.failed(thrown))
    } finally {
      setBusy(false)
    }
  }

  return (
    <Stack>
      <Text size="sm">
        {t(
          "The key gets a new secret and keeps its budgets and limits. Replace the old secret everywhere while it still works.",
        )}
      </Text>
      <Select
        label={t("Keep the old secret valid for")}
        data={GRACES}
        value={grace}
        onChange={(value) => setGrace(value ?? "86400")}
        allowDeselect={false}
      />
      <ErrorNotice
        error={error}
        title={t("Could not rotate the key")}
        unknownTitle={t("The key may or may not have been rotated")}
      />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {t("Cancel")}
        </Button>
        <Button loading={isBusy} onClick={() => void rotate()}>
          {isOutcomeUnknown(error) ? t("Try again") : t("Rotate")}
        </Button>
      </Group>
    </Stack>
  )
}
