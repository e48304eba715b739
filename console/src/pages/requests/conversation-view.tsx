import "./conversation.css"
import { Button, Group, Image, Text } from "@mantine/core"
import { useState } from "react"
import type { Receipt } from "tollgate-contract/receipts.ts"
import { Markdown } from "../../ui/markdown.tsx"
import { answeredIn, conversationIn, type Said, type System } from "../playground/said.ts"
import { ToolCalls } from "../playground/chat/tool-calls.tsx"
import { Snippet } from "../../ui/snippet.tsx"
import { t } from "../../languages/text.ts"

type Content = NonNullable<Receipt["content"]>
type Turn = Said | System

const WHO: Readonly<Record<Turn["by"], string>> = {
  system: t("System"),
  user: t("User"),
  model: t("Model"),
  tool: t("Tool result"),
}
/** Maximum number of turns shown at first, counted back from the response. */
const SHOWN = 12

/** Returns all turns, ending with the response; empty if the request is not a chat. */
export function turnsOf({ request, response }: Content): readonly Turn[] {
  const asked = conversationIn(request)
  return asked.length === 0 ? [] : [...asked, ...answeredIn(response)]
}

/** Shows a chat by speaker, with tool calls and images. */
export function ConversationView({ content }: { readonly content: Content }) {
  const turns = turnsOf(content)
  const answered = answeredIn(content.response).length
  const [isWhole, setWhole] = useState(false)
  const hidden = isWhole ? 0 : Math.max(0, turns.length - SHOWN)
  return (
    <>
      {hidden > 0 && (
        <Button variant="default" size="xs" mb="sm" onClick={() => setWhole(true)}>
          {t("Show {hidden} earlier", { hidden })}
        </Button>
      )}
      <ol className="said-list" aria-label={t("Conversation")}>
        {turns.slice(hidden).map((turn, index) => (
          <TurnView
            key={(hidden + index).toString()}
            turn={turn}
            isResponse={hidden + index >= turns.length - answered}
          />
        ))}
      </ol>
      {answered === 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {t("No response was stored.")}
        </Text>
      )}
    </>
  )
}

interface TurnViewProperties {
  readonly turn: Turn
  readonly isResponse: boolean
}

function TurnView({ turn, isResponse }: TurnViewProperties) {
  return (
    <li className="said" data-by={turn.by} data-answer={isResponse || undefined}>
      <Text size="xs" c="dimmed" fw={600} className="said-by">
        {WHO[turn.by]}
        {isResponse && <span className="said-answer"> {t("· response")}</span>}
      </Text>
      <div className="said-text">
        {turn.by === "tool" && (
          <Snippet code={turn.text} label={t("Copy the tool’s result")} maxHeight={240} />
        )}
        {turn.by === "model" && turn.text !== "" && <Markdown text={turn.text} />}
        {(turn.by === "user" || turn.by === "system") && (
          <div className="said-plain">{turn.text}</div>
        )}
        {turn.by === "model" && turn.calls.length > 0 && (
          <ToolCalls calls={turn.calls} results={[]} onResults={undefined} />
        )}
        {turn.by === "user" && <Attached images={turn.images} files={turn.files} />}
      </div>
    </li>
  )
}

function Attached({ images, files }: Pick<Extract<Turn, { by: "user" }>, "images" | "files">) {
  if (images.length + files.length === 0) return null
  return (
    <Group gap="xs" mt="xs" align="flex-end">
      {images.map(({ name, url }, index) => (
        <Image
          key={index.toString()}
          src={url}
          alt={images.length === 1 ? name : `${name} ${index + 1}`}
          h={96}
          w="auto"
          radius="sm"
        />
      ))}
      {files.map((name, index) => (
        <Text key={index.toString()} size="sm" className="mono anywhere said-file">
          {name}
        </Text>
      ))}
    </Group>
  )
}
