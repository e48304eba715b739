import { ActionIcon, Button, Group, Tooltip } from "@mantine/core"
import { IconAdjustmentsHorizontal, IconColumns2, IconX } from "@tabler/icons-react"
import { ModelSelect } from "../model-select.tsx"
import { CHAT_KINDS, type Columns } from "./use-columns.ts"

export interface ChatBarProperties {
  readonly columns: Columns
  /** Opens the settings where they do not stand beside. */
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
            <Tooltip label="Take this one away">
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Take ${model ?? "this model"} away`}
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
        <Tooltip label="Settings of the request">
          <ActionIcon
            variant="default"
            size={36}
            aria-label="Settings of the request"
            onClick={onSettings}
          >
            <IconAdjustmentsHorizontal size={18} />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  )
}
