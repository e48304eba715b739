import { SegmentedControl, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core"
import { Suspense, useState } from "react"
import type { Receipt } from "tollgate-contract/receipts.ts"
import { lazyPart } from "../../layout/lazy-page.ts"
import { LinkButton } from "../../ui/link-button.tsx"
import { handOver } from "../playground/hand-over.ts"
import { conversationIn } from "../playground/said.ts"
import { Panel } from "../../ui/panel.tsx"
import { Snippet } from "../../ui/snippet.tsx"
import { t } from "../../languages/text.ts"

/** Loaded on demand together with the Markdown renderer, because most accounts do not store content. */
const ConversationView = lazyPart(() =>
  import("./conversation-view.tsx").then((module) => module.ConversationView),
)

/** Shows the prompt and the response as plain text, if the account stores content. */
export function ContentPanel({ receipt }: { readonly receipt: Receipt }) {
  if (receipt.content === null) {
    return (
      <Panel title={t("Content")}>
        <Text size="sm" c="dimmed">
          {t("Prompts and responses are not stored. An operator can turn this on for an account.")}
        </Text>
      </Panel>
    )
  }
  return <StoredContent receipt={receipt} content={receipt.content} />
}

type View = "conversation" | "raw"

interface StoredContentProperties {
  readonly receipt: Receipt
  readonly content: NonNullable<Receipt["content"]>
}

function StoredContent({ receipt, content }: StoredContentProperties) {
  const [view, setView] = useState<View>("conversation")
  const hasTurns = isChat(receipt) && conversationIn(content.request).length > 0
  return (
    <Panel
      title={t("Content")}
      description={t("Stored because this account stores prompts and responses.")}
      actions={
        <>
          {hasTurns && (
            <SegmentedControl
              size="xs"
              aria-label={t("Show the content as")}
              data={[
                { value: "conversation", label: t("Conversation") },
                { value: "raw", label: "JSON" },
              ]}
              value={view}
              onChange={setView}
            />
          )}
          {isChat(receipt) && (
            <LinkButton
              to="/playground"
              search={{ account: receipt.account }}
              size="xs"
              variant="default"
              onClick={() => handOver({ model: receipt.model, body: content.request })}
            >
              {t("Open in playground")}
            </LinkButton>
          )}
        </>
      }
    >
      {hasTurns && view === "conversation" ? (
        <Suspense fallback={<Skeleton height={160} />}>
          <ConversationView content={content} />
        </Suspense>
      ) : (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Part title={t("Request")} label={t("Copy the request")} value={content.request} />
          <Part title={t("Response")} label={t("Copy the response")} value={content.response} />
        </SimpleGrid>
      )}
    </Panel>
  )
}

/** Reports whether the playground can open this request. */
function isChat({ endpoint, content }: Receipt): boolean {
  return (
    (CHATS.has(endpoint) || GEMINI.test(endpoint)) &&
    typeof content?.request === "object" &&
    content.request !== null
  )
}

const CHATS: ReadonlySet<string> = new Set([
  "/v1/chat/completions",
  "/v1/messages",
  "/v1/responses",
])
const GEMINI = /:(stream)?GenerateContent$/i

interface PartProperties {
  readonly title: string
  /** The label of the button that copies the part. */
  readonly label: string
  readonly value: unknown
}

function Part({ title, label, value }: PartProperties) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2)
  return (
    <Stack gap="xs" style={{ minWidth: 0 }}>
      <Title order={3} size="h6">
        {title}
      </Title>
      {value === null || value === undefined ? (
        <Text size="sm" c="dimmed">
          {t("None.")}
        </Text>
      ) : (
        <Snippet code={text} label={label} />
      )}
    </Stack>
  )
}
