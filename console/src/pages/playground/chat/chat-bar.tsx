import { ActionIcon, Button, Group, Tooltip } from "@mantine/core"
import {
  IconAdjustmentsHorizontal,
  IconColumns2,
  IconHistory,
  IconPlus,
  IconX,
} from "../../../ui/icons.tsx"
import { ModelSelect } from "../../../ui/model-select.tsx"
import { CHAT_KINDS, type Columns } from "./use-columns.ts"
import { t } from "../../../languages/text.ts"

export interface ChatBarProperties {
  readonly columns: Columns
  /** Whether a response is running. Models cannot be removed during that time. */
  readonly isRunning: boolean
  readonly onNew: () => void
  /** Opens the list of conversations; undefined without a paying account, which has no conversations. */
  readonly onList: (() => void) | undefined
  /** Opens the settings if they are not shown next to the chat. */
  readonly onSettings?: () => void
}

/** Selects the models of a conversation, and links to other conversations. */
export function ChatBar({ columns, isRunning, onNew, onList, onSettings }: ChatBarProperties) {
  const { all, canAdd, setModel, add, remove } = columns
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap" className="chat-bar">
      {all.map(({ id, model }, index) => (
        <Group key={id} gap={4} wrap="nowrap" className="chat-model">
          <ModelSelect
            kinds={CHAT_KINDS}
            value={model}
            onChange={(chosen) => setModel(id, chosen)}
            aria-label={[t("Model"), t("Second model"), t("Third model")][index] ?? t("Model")}
          />
          {all.length > 1 && (
            <BarButton
              label={model === null ? t("Remove this model") : t("Remove {name}", { name: model })}
              isSubtle
              isDisabled={isRunning}
              onClick={() => remove(id)}
            >
              <IconX size={16} />
            </BarButton>
          )}
        </Group>
      ))}
      {canAdd && (
        <Button variant="default" leftSection={<IconColumns2 size={16} />} onClick={add}>
          {t("Compare")}
        </Button>
      )}
      <Group gap="xs" wrap="nowrap" ml="auto">
        <BarButton label={t("New conversation")} onClick={onNew}>
          <IconPlus size={18} />
        </BarButton>
        {onList !== undefined && (
          <BarButton label={t("Conversations")} onClick={onList}>
            <IconHistory size={18} />
          </BarButton>
        )}
        {onSettings !== undefined && (
          <BarButton label={t("Request settings")} onClick={onSettings}>
            <IconAdjustmentsHorizontal size={18} />
          </BarButton>
        )}
      </Group>
    </Group>
  )
}

interface BarButtonProperties {
  readonly label: string
  readonly isSubtle?: boolean
  readonly isDisabled?: boolean
  readonly onClick: () => void
  readonly children: React.ReactNode
}

function BarButton({ label, isSubtle, isDisabled, onClick, children }: BarButtonProperties) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        {...(isSubtle ? { variant: "subtle", color: "gray" } : { variant: "default", size: 36 })}
        aria-label={label}
        disabled={isDisabled ?? false}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  )
}
