import { SimpleGrid, Skeleton, Stack, Text } from "@mantine/core"
import { type Tool, TOOL_NAMES, toolSettings } from "tollgate-contract/tools.ts"
import type { ModelsOfTool } from "../api/first-model.ts"
import { toolPath } from "../format/tool-path.ts"
import { useSession } from "../session.tsx"
import { Panel } from "./panel.tsx"
import { Snippet } from "./snippet.tsx"
import { t } from "../languages/text.ts"

/** Maximum height of a tool's settings in CSS pixels. The settings of every tool fit without scrolling. */
const MAX_SETTINGS_HEIGHT = 560

export interface ToolCardsProperties {
  readonly tools: readonly Tool[]
  /** The key that the tools send; undefined if a placeholder is shown. */
  readonly secret: string | undefined
  /** Returns the models that a tool uses at first; undefined while they are loading. */
  readonly modelsOf: ModelsOfTool | undefined
  readonly columns: 1 | 2
}

/** Shows how to configure each tool for the gateway, like the command `connect`. */
export function ToolCards({ tools, secret, modelsOf, columns }: ToolCardsProperties) {
  const { base_url: baseUrl } = useSession()
  if (modelsOf === undefined) return <Skeleton height={220} />
  const facts = {
    url: baseUrl.replace(/\/+$/, ""),
    key: secret,
    pathOf: toolPath,
    translate: t,
  }
  return (
    <SimpleGrid cols={{ base: 1, lg: columns }}>
      {tools.map((tool) => {
        const { words, text, after, command } = toolSettings(tool, {
          ...facts,
          ...modelsOf(tool),
        })
        const name = TOOL_NAMES[tool]
        return (
          <Panel key={tool} title={name}>
            <Stack gap="xs">
              <Text size="sm" className="anywhere">
                {words}
              </Text>
              <Snippet
                code={text}
                label={t("Copy the settings for {name}", { name })}
                maxHeight={MAX_SETTINGS_HEIGHT}
              />
              {after !== undefined && (
                <Text size="sm" c="dimmed" className="anywhere">
                  {after}
                </Text>
              )}
              {command !== undefined && (
                <Snippet code={command} label={t("Copy the command for {name}", { name })} />
              )}
            </Stack>
          </Panel>
        )
      })}
    </SimpleGrid>
  )
}
