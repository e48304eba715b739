import { ActionIcon, Box, Button, FileButton, Group, Text, Textarea, Tooltip } from "@mantine/core"
import { IconPhotoPlus, IconPlayerStopFilled, IconSend } from "../../../ui/icons.tsx"
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  useState,
} from "react"
import type { Question } from "../conversation.ts"
import { IMAGE_TYPES } from "../image-fault.ts"
import { AttachedImages, useImages } from "./attached-images.tsx"
import { t } from "../../../languages/text.ts"

export interface ComposerProperties {
  readonly isRunning: boolean
  /** Reason why no question can be sent; replaces the hint. */
  readonly obstacle: string | undefined
  /** The question with which the input starts. */
  readonly draft?: Question | undefined
  readonly onSend: (question: Question) => void
  readonly onStop: () => void
}

/** The input for a question. Images can be attached, dropped or pasted. */
export function Composer({ isRunning, obstacle, draft, onSend, onStop }: ComposerProperties) {
  const [text, setText] = useState(draft?.text ?? "")
  const { images, faults, add, remove, clear } = useImages(draft?.images ?? [])
  const [isOver, setOver] = useState(false)
  const isEmpty = text.trim() === "" && images.length === 0
  const canSend = !isEmpty && !isRunning && obstacle === undefined

  function send() {
    if (!canSend) return
    onSend({ text, images })
    setText("")
    clear()
  }

  function press(event: KeyboardEvent) {
    // While an input method composes a word (Japanese, Chinese), Enter confirms the word.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }

  function paste(event: ClipboardEvent) {
    const files = [...event.clipboardData.files]
    if (files.length === 0) return
    event.preventDefault()
    void add(files)
  }

  function drop(event: DragEvent) {
    event.preventDefault()
    setOver(false)
    void add([...event.dataTransfer.files])
  }

  return (
    <Box
      className="composer"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      onPaste={paste}
    >
      <AttachedImages images={images} onRemove={remove} />
      <Textarea
        aria-label={t("Your message")}
        placeholder={t("Ask something. Drop or paste images here.")}
        autosize
        minRows={2}
        maxRows={10}
        variant="unstyled"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={press}
      />
      <ComposerFoot
        fault={faults[0]}
        obstacle={obstacle}
        onFiles={(files) => void add(files)}
        action={
          <SendButton canSend={canSend} onSend={send} isRunning={isRunning} onStop={onStop} />
        }
      />
    </Box>
  )
}

interface ComposerFootProperties {
  readonly fault: string | undefined
  readonly obstacle: string | undefined
  readonly onFiles: (files: File[]) => void
  readonly action: ReactNode
}

function ComposerFoot({ fault, obstacle, onFiles, action }: ComposerFootProperties) {
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap">
      <Group gap="xs" wrap="nowrap" style={{ minWidth: 0 }}>
        <FileButton multiple accept={IMAGE_TYPES} onChange={onFiles}>
          {(properties) => (
            <Tooltip label={t("Attach images")}>
              <ActionIcon
                {...properties}
                variant="subtle"
                color="gray"
                aria-label={t("Attach images")}
              >
                <IconPhotoPlus size={18} />
              </ActionIcon>
            </Tooltip>
          )}
        </FileButton>
        <Text size="xs" c={fault === undefined ? "dimmed" : "red"} role="status" component="div">
          {fault ?? obstacle ?? (
            <span className="wide-only">{t("Enter to send, Shift + Enter for a new line")}</span>
          )}
        </Text>
      </Group>
      {action}
    </Group>
  )
}

interface SendButtonProperties {
  readonly isRunning: boolean
  readonly canSend: boolean
  readonly onSend: () => void
  readonly onStop: () => void
}

function SendButton({ isRunning, canSend, onSend, onStop }: SendButtonProperties) {
  if (!isRunning) {
    return (
      <Button size="xs" leftSection={<IconSend size={14} />} onClick={onSend} disabled={!canSend}>
        {t("Send")}
      </Button>
    )
  }
  const icon = <IconPlayerStopFilled size={14} />
  return (
    <Button size="xs" color="red" variant="light" leftSection={icon} onClick={onStop}>
      {t("Stop")}
    </Button>
  )
}
