import { Skeleton, Stack, Tabs, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { Model } from "../../../src/management/contract/catalog.ts"
import type { Page } from "../../../src/management/contract/common.ts"
import { oneQuery } from "../api/queries.ts"
import { allowsModel } from "../format/globs.ts"
import { keySnippets } from "../format/key-snippets.ts"
import { useSession } from "../session.tsx"
import { Snippet } from "./snippet.tsx"

export interface KeySnippetsProperties {
  /** The secret, or words in its place. */
  readonly secret: string
  /** Globs of the models it may call. */
  readonly models: readonly string[] | null
}

type NamedModels = Page<Pick<Model, "id" | "deployments">>

/** A first request with a key, in the reader's language, with a model that the key may call. */
export function KeySnippets({ secret, models }: KeySnippetsProperties) {
  const session = useSession()
  const catalog = useQuery(oneQuery<NamedModels>("/models", { kind: "chat", priced: "true" }))
  if (catalog.isPending) return <Skeleton height={220} />
  const callable = catalog.data?.data.filter(({ id }) => allowsModel(models, id)) ?? []
  const first = callable.find(isReady) ?? callable[0]
  const model = first?.id ?? firstExact(models) ?? "provider/model"
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
                First: <code>{snippet.install}</code>
              </Text>
            )}
            <Snippet code={snippet.code} label={`Copy the code for ${snippet.label}`} />
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

/** Whether it is likely to answer at once: a first request should not be the one that fails. */
function isReady({ deployments }: NamedModels["data"][number]): boolean {
  return deployments.every(({ health }) => health.state !== "resting")
}

function firstExact(models: readonly string[] | null): string | undefined {
  return models?.find((glob) => !glob.includes("*"))
}
