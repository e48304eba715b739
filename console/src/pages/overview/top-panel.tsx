import { Group, Progress, Skeleton, Stack, Text } from "@mantine/core"
import type { ReactNode } from "react"
import type { UsageRow } from "tollgate-contract/usage.ts"
import { roughCredits } from "../../format/credits.ts"
import { Money } from "../../ui/money.tsx"
import { Panel } from "../../ui/panel.tsx"
import { t } from "../../languages/text.ts"

export interface TopPanelProperties {
  readonly title: string
  readonly rows: readonly UsageRow[] | undefined
  /** The name of a row, optionally as a link. */
  readonly name: (row: UsageRow) => ReactNode
}

/** Lists the most expensive items of the last 30 days, most expensive first. */
export function TopPanel({ title, rows, name }: TopPanelProperties) {
  const highestCost = Math.max(...(rows ?? []).map((row) => roughCredits(row.cost)), 0)
  return (
    <Panel title={title} description={t("Last 30 days")}>
      {rows === undefined && <Skeleton height={160} />}
      {rows?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t("No requests yet.")}
        </Text>
      )}
      <Stack gap="sm">
        {rows?.map((row) => (
          <div key={row.group}>
            <Group justify="space-between" gap="sm" wrap="nowrap">
              <Text size="sm" component="div" className="anywhere top-name">
                {name(row)}
              </Text>
              <Text size="sm" component="div" style={{ flexShrink: 0 }}>
                <Money value={row.cost} decimals={4} />
              </Text>
            </Group>
            <Group gap="sm" wrap="nowrap" mt={4}>
              <Progress
                value={highestCost === 0 ? 0 : (roughCredits(row.cost) / highestCost) * 100}
                size={4}
                flex={1}
                className="budget-bar"
                aria-hidden
              />
              <Text size="xs" c="dimmed" w={110} ta="right" className="figures">
                {t("{requests, plural, one {# request} other {# requests}}", {
                  requests: row.requests,
                })}
              </Text>
            </Group>
          </div>
        ))}
      </Stack>
    </Panel>
  )
}
