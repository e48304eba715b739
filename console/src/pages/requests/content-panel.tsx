import { SimpleGrid, Stack, Text, Title } from "@mantine/core"
import type { Receipt } from "tollgate-contract/receipts.ts"
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
    <Panel title="Content" description="Stored because the account is set to do so.">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Part title="Asked" value={receipt.content.request} />
        <Part title="Answered" value={receipt.content.answer} />
      </SimpleGrid>
    </Panel>
  )
}

function Part({ title, value }: { readonly title: string; readonly value: unknown }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2)
  return (
    <Stack gap="xs" style={{ minWidth: 0 }}>
      <Title order={3} size="h6">
        {title}
      </Title>
      {value === null || value === undefined ? (
        <Text size="sm" c="dimmed">
          Nothing.
        </Text>
      ) : (
        <Snippet code={text} label={`Copy what was ${title.toLowerCase()}`} />
      )}
    </Stack>
  )
}
