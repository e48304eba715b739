import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core"
import type { CodeWithText } from "tollgate-contract/codes.ts"
import { counted } from "../../format/numbers.ts"
import { Money } from "../../ui/money.tsx"
import { SHOWN_ONCE } from "../../ui/shown-once.ts"
import { Snippet } from "../../ui/snippet.tsx"

export interface ShownCodeProperties {
  readonly shown: CodeWithText | undefined
  readonly onClose: () => void
}

/** A new code, the one time that it is shown. */
export function ShownCode({ shown, onClose }: ShownCodeProperties) {
  return (
    <Modal opened={shown !== undefined} onClose={onClose} title="Your code" {...SHOWN_ONCE}>
      {shown !== undefined && (
        <Stack>
          <Snippet code={shown.code} label="Copy code" />
          <Text size="sm">
            Worth <Money value={shown.credits} hasUnit /> for each of{" "}
            {counted(shown.uses, "account")}.
          </Text>
          <Alert variant="light" color="yellow">
            Copy it now. Only a hash is stored, so it cannot be shown again.
          </Alert>
          <Group justify="flex-end">
            <Button onClick={onClose}>I have copied it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
