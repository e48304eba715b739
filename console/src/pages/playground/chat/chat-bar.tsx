import { ActionIcon, Button, Group, Tooltip } from "@mantine/core"
import { IconAdjustmentsHorizontal, IconColumns2, IconX } from "../../../ui/icons.tsx"
import { ModelSelect } from "../model-select.tsx"
import { CHAT_KINDS, type Columns } from "./use-columns.ts"

export interface ChatBarProperties {
  readonly columns: Columns
  /** Opens the settings where they are not shown next to the chat. */
  readonly onSettings?: () => void
}

/** Which models are asked. */
export function ChatBar({ columns, onSettings }: ChatBarProperties) {
  const { models, isComparing, setModel, compare, keep } = columns
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap" className="chat-bar">
      {models.map((model, column) => (
        <Group key={column.toString()} gap={4} wrap="nowrap" className="chat-model">
          <ModelSelect
            kinds={CHAT_KINDS}
            value={model}
            onChange={(chosen) => setModel(column, chosen)}
            label={column === 0 ? "Model" : "Second model"}
            isLabelShown={false}
          />
          {isComparing && (
            <Tooltip label="Remove this model">
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Remove ${model ?? "this model"}`}
                onClick={() => keep(1 - column)}
              >
                <IconX size={16} />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
      ))}
      {!isComparing && (
        <Button variant="default" leftSection={<IconColumns2 size={16} />} onClick={compare}>
          Compare
        </Button>
      )}
      {onSettings !== undefined && (
        <Tooltip label="Request settings">
          <ActionIcon
            variant="default"
            size={36}
            aria-label="Request settings"
            onClick={onSettings}
          >
            <IconAdjustmentsHorizontal size={18} />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  )
}
