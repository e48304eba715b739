import { ActionIcon, Alert, Button, Drawer, Group, Stack, Text, TextInput } from "@mantine/core"
import { type FormEvent, useState } from "react"
import { Confirm } from "../../../ui/confirm.tsx"
import { IconPencil, IconTrash } from "../../../ui/icons.tsx"
import { When } from "../../../ui/when.tsx"
import { type KeptConversation, nameOf } from "./kept-conversation.ts"
import type { Kept } from "./use-kept.ts"
import { t } from "../../../languages/text.ts"

export interface ConversationListProperties {
  readonly kept: Kept
  readonly openId: string
  readonly isShown: boolean
  readonly onOpen: (conversation: KeptConversation) => void
  readonly onForget: (ids: readonly string[]) => Promise<void>
  readonly onClose: () => void
}

/** Lists stored conversations, to open, rename or delete. */
export function ConversationList(properties: ConversationListProperties) {
  const { kept, openId, isShown, onOpen, onForget, onClose } = properties
  const [forgetting, setForgetting] = useState<readonly KeptConversation[]>([])
  return (
    <Drawer opened={isShown} onClose={onClose} title={t("Conversations")}>
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {t("Kept in this browser only, for you and this account.")}
        </Text>
        {!kept.isKeeping && (
          <Alert color="yellow" title={t("This browser does not keep conversations")}>
            {t("It may be a private window, or its storage is full.")}
          </Alert>
        )}
        {kept.list.length === 0 && kept.isKeeping && (
          <Text size="sm">{t("No conversations yet.")}</Text>
        )}
        <ul className="conversations">
          {kept.list.map((conversation) => (
            <Row
              key={conversation.id}
              conversation={conversation}
              isOpen={conversation.id === openId}
              onOpen={() => onOpen(conversation)}
              onRename={(name) => kept.keep({ ...conversation, name })}
              onForget={() => setForgetting([conversation])}
            />
          ))}
        </ul>
        {kept.list.length > 1 && (
          <Group>
            <Button variant="subtle" color="red" size="xs" onClick={() => setForgetting(kept.list)}>
              {t("Delete all")}
            </Button>
          </Group>
        )}
      </Stack>
      <Confirm
        isOpen={forgetting.length > 0}
        title={
          forgetting.length > 1 ? t("Delete all conversations?") : t("Delete the conversation?")
        }
        action={t("Delete")}
        onClose={() => setForgetting([])}
        onConfirm={() => onForget(forgetting.map(({ id }) => id))}
      >
        {t("This cannot be undone. The receipts of its requests stay.")}
      </Confirm>
    </Drawer>
  )
}

interface RowProperties {
  readonly conversation: KeptConversation
  readonly isOpen: boolean
  readonly onOpen: () => void
  readonly onRename: (name: string | null) => void
  readonly onForget: () => void
}

const MAX_NAME_LENGTH = 100

function Row({ conversation, isOpen, onOpen, onRename, onForget }: RowProperties) {
  const name = nameOf(conversation)
  const [typed, setTyped] = useState<string>()

  const isTooLong = (typed?.trim().length ?? 0) > MAX_NAME_LENGTH

  function rename(event: FormEvent) {
    event.preventDefault()
    if (isTooLong) return
    const wanted = typed?.trim() ?? ""
    onRename(wanted === "" ? null : wanted)
    setTyped(undefined)
  }

  if (typed !== undefined) {
    return (
      <li>
        <form onSubmit={rename}>
          <Group gap="xs" wrap="nowrap" align="flex-end">
            <TextInput
              label={t("Name")}
              flex={1}
              error={isTooLong && t("At most {max} characters", { max: MAX_NAME_LENGTH })}
              autoFocus
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <Button type="submit" disabled={isTooLong}>
              {t("Rename")}
            </Button>
          </Group>
        </form>
      </li>
    )
  }
  return (
    <li>
      <Group gap={4} wrap="nowrap">
        <button
          type="button"
          className="conversation"
          aria-current={isOpen ? "true" : undefined}
          onClick={onOpen}
        >
          <span className="anywhere">{name}</span>
          <Text span size="xs" c="dimmed">
            <When at={new Date(conversation.changedAt).toISOString()} />
          </Text>
        </button>
        <RowButton label={t("Rename {name}", { name })} onClick={() => setTyped(name)}>
          <IconPencil size={16} />
        </RowButton>
        <RowButton label={t("Delete {name}", { name })} onClick={onForget}>
          <IconTrash size={16} />
        </RowButton>
      </Group>
    </li>
  )
}

interface RowButtonProperties {
  readonly label: string
  readonly onClick: () => void
  readonly children: React.ReactNode
}

function RowButton({ label, onClick, children }: RowButtonProperties) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={onClick}>
      {children}
    </ActionIcon>
  )
}
