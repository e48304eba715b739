import { ActionIcon, Button, Tooltip } from "@mantine/core"
import { useClipboard } from "@mantine/hooks"
import { IconCheck, IconCopy } from "./icons.tsx"
import { t } from "../languages/text.ts"

export interface CopyButtonProperties {
  readonly value: string
  /** Describes the copied content for screen readers: "Copy the key". */
  readonly label: string
  /** The text of the button; if absent, the button has only an icon. */
  readonly text?: string
}

/** Copies a text and shows that it was copied. */
export function CopyButton({ value, label, text }: CopyButtonProperties) {
  const clipboard = useClipboard({ timeout: 1_500 })
  const icon = clipboard.copied ? <IconCheck size={16} /> : <IconCopy size={16} />
  if (text !== undefined) {
    return (
      <Button
        size="xs"
        variant={clipboard.copied ? "light" : "default"}
        leftSection={icon}
        onClick={() => clipboard.copy(value)}
        aria-label={clipboard.copied ? t("Copied") : label}
      >
        {clipboard.copied ? t("Copied") : text}
      </Button>
    )
  }
  return (
    <Tooltip label={clipboard.copied ? t("Copied") : label}>
      <ActionIcon
        variant="subtle"
        color={clipboard.copied ? "gate" : "gray"}
        onClick={(event) => {
          event.stopPropagation()
          clipboard.copy(value)
        }}
        aria-label={clipboard.copied ? t("Copied") : label}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}
