import { SimpleGrid, Stack, Text, Title } from "@mantine/core"
import type { Receipt } from "tollgate-contract/receipts.ts"
import { LinkButton } from "../../ui/link-button.tsx"
import { handOver } from "../playground/hand-over.ts"
import { Panel } from "../../ui/panel.tsx"
import { Snippet } from "../../ui/snippet.tsx"

/** What was asked and answered, where the account keeps it. Shown as text and nothing else. */
export function ContentPanel({ receipt }: { readonly receipt: Receipt }) {
  if (receipt.content === null) {
    return (
      <Panel title="Content">
        <Text size="sm" c="dimmed">
          Prompts and responses are not stored. An operator can turn this on for an account.
        </Text>
      </Panel>
    )
  }
  return (
    <Panel
      title="Content"
      description="Stored because this account stores prompts and responses."
      {...(isChat(receipt) && {
        actions: (
          <LinkButton
            to="/playground"
            search={{ account: receipt.account }}
            size="xs"
            variant="default"
            onClick={() => handOver({ model: receipt.model, body: receipt.content?.request })}
          >
            Open in playground
          </LinkButton>
        ),
      })}
    >
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Part title="Request" value={receipt.content.request} />
        <Part title="Response" value={receipt.content.answer} />
      </SimpleGrid>
    </Panel>
  )
}

/** The playground takes over what was asked of a chat. */
function isChat({ endpoint, content }: Receipt): boolean {
  return CHATS.has(endpoint) && typeof content?.request === "object" && content.request !== null
}

const CHATS: ReadonlySet<string> = new Set([
  "/v1/chat/completions",
  "/v1/messages",
  "/v1/responses",
])

function Part({ title, value }: { readonly title: string; readonly value: unknown }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2)
  return (
    <Stack gap="xs" style={{ minWidth: 0 }}>
      <Title order={3} size="h6">
        {title}
      </Title>
      {value === null || value === undefined ? (
        <Text size="sm" c="dimmed">
          None.
        </Text>
      ) : (
        <Snippet code={text} label={`Copy the ${title.toLowerCase()}`} />
      )}
    </Stack>
  )
}
