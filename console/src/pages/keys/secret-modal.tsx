import { Accordion, Alert, Button, Group, Modal, Stack, Text, Title } from "@mantine/core"
import { IconEye } from "../../ui/icons.tsx"
import type { KeyWithSecret } from "tollgate-contract/keys.ts"
import { FIRST_TOOLS } from "tollgate-contract/tools.ts"
import { useModelsOfTools } from "../../api/first-model.ts"
import { CopyButton } from "../../ui/copy-button.tsx"
import { KeySnippets } from "../../ui/key-snippets.tsx"
import { SHOWN_ONCE } from "../../ui/shown-once.ts"
import { ToolCards } from "../../ui/tool-cards.tsx"
import { t } from "../../languages/text.ts"

export interface SecretModalProperties {
  /** The key with its secret; undefined if the dialog is closed. */
  readonly shown: KeyWithSecret | undefined
  readonly onClose: () => void
}

/** Shows a new secret once, with a first request that can be run as is. A click outside does not close the dialog. */
export function SecretModal({ shown, onClose }: SecretModalProperties) {
  return (
    <Modal
      opened={shown !== undefined}
      onClose={onClose}
      title={t("Your key {name}", { name: shown?.name ?? "" })}
      size="xl"
      {...SHOWN_ONCE}
    >
      {shown !== undefined && (
        <Stack>
          <Alert variant="light" color="yellow" icon={<IconEye />}>
            {t("Copy it now. It is shown only once; only a hash is stored.")}
          </Alert>
          <Group gap="xs" wrap="nowrap" className="secret">
            <Text ff="monospace" size="sm" className="anywhere" flex={1} data-testid="secret">
              {shown.secret}
            </Text>
            <CopyButton value={shown.secret} label={t("Copy the key")} text={t("Copy")} />
          </Group>
          <Title order={3} size="h5" mt="xs">
            {t("A first request")}
          </Title>
          <KeySnippets secret={shown.secret} models={shown.models} />
          <Accordion variant="separated" chevronPosition="left">
            <Accordion.Item value="tools">
              <Accordion.Control>
                {t("Settings for Claude Code, Codex and other tools")}
              </Accordion.Control>
              <Accordion.Panel>
                <NewKeyTools shown={shown} />
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
          <Group justify="flex-end">
            <Button onClick={onClose}>{t("I have copied it")}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function NewKeyTools({ shown }: { readonly shown: KeyWithSecret }) {
  const modelsOf = useModelsOfTools(shown.models)
  return <ToolCards tools={FIRST_TOOLS} secret={shown.secret} modelsOf={modelsOf} columns={1} />
}
