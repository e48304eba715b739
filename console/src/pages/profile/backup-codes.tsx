import { Button, Group, Modal, Stack, Text } from "@mantine/core"
import { SHOWN_ONCE } from "../../ui/shown-once.ts"
import { Snippet } from "../../ui/snippet.tsx"
import { t } from "../../languages/text.ts"

export interface BackupCodesProperties {
  /** The codes; undefined if the dialog is closed. */
  readonly codes: readonly string[] | undefined
  readonly onClose: () => void
}

/** Shows codes with which the user can sign in without the authenticator. The codes cannot be shown again. */
export function BackupCodes({ codes, onClose }: BackupCodesProperties) {
  return (
    <Modal
      opened={codes !== undefined}
      onClose={onClose}
      title={t("Your backup codes")}
      {...SHOWN_ONCE}
    >
      <Stack>
        <Text size="sm">
          {t(
            "Keep them somewhere safe. Each one signs you in once if you lose the app. They are not shown again.",
          )}
        </Text>
        <Snippet code={(codes ?? []).join("\n")} label={t("Copy the backup codes")} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t("I have saved them")}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
