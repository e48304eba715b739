import { Skeleton, Stack, Tabs, Text } from "@mantine/core"
import { useFirstModel } from "../api/first-model.ts"
import { keySnippets } from "../format/key-snippets.ts"
import { useSession } from "../session.tsx"
import { Snippet } from "./snippet.tsx"
import { rich, t } from "../languages/text.ts"

export interface KeySnippetsProperties {
  /** The secret, or a placeholder. */
  readonly secret: string
  /** Globs of the models that the key may call; null means all models. */
  readonly models: readonly string[] | null
}

/** Shows a first request in several languages, with a model that the key may call. */
export function KeySnippets({ secret, models }: KeySnippetsProperties) {
  const session = useSession()
  const model = useFirstModel(models)
  if (model === undefined) return <Skeleton height={220} />
  const snippets = keySnippets({ baseUrl: session.base_url, key: secret, model })
  return (
    <Tabs defaultValue="curl" keepMounted={false} variant="outline">
      <Tabs.List className="tabs-scroll">
        {snippets.map((snippet) => (
          <Tabs.Tab key={snippet.id} value={snippet.id}>
            {snippet.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map((snippet) => (
        <Tabs.Panel key={snippet.id} value={snippet.id} pt="sm">
          <Stack gap="xs">
            {snippet.install !== undefined && (
              <Text size="sm" c="dimmed">
                {rich("First: {install}", { install: <code>{snippet.install}</code> })}
              </Text>
            )}
            <Snippet
              code={snippet.code}
              label={t("Copy the code for {label}", { label: snippet.label })}
            />
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
