import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core"
import type { NoticeTargetWithSecret } from "tollgate-contract/notices.ts"
import { SHOWN_ONCE } from "../../ui/shown-once.ts"
import { Snippet } from "../../ui/snippet.tsx"
import { t } from "../../languages/text.ts"

export interface ShownSecretProperties {
  /** The new target. If its secret is null, nothing is shown. */
  readonly shown: NoticeTargetWithSecret | undefined
  readonly onClose: () => void
}

/** Shows the secret of a new webhook. The secret cannot be shown again. */
export function ShownSecret({ shown, onClose }: ShownSecretProperties) {
  const secret = shown?.secret ?? undefined
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title={t("The webhook's secret")}
      {...SHOWN_ONCE}
    >
      {secret !== undefined && (
        <Stack>
          <Snippet code={secret} label={t("Copy the secret")} />
          <Text size="sm">
            {t(
              "Every notice is signed with it, as Standard Webhooks define: verify the header webhook-signature before you trust a notice.",
            )}
          </Text>
          <Alert variant="light" color="yellow">
            {t("Copy it now. It cannot be shown again.")}
          </Alert>
          <Group justify="flex-end">
            <Button onClick={onClose}>{t("I have copied it")}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
