import { Group, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReliabilityRow } from "tollgate-contract/usage.ts"
import { reliabilityQuery } from "../../../api/reliability.ts"
import { AskedPanel } from "../../../ui/asked-panel.tsx"
import { TextLink } from "../../../ui/link-button.tsx"
import { MarkedProvider } from "../../../ui/provider-mark.tsx"
import { HealthSummary } from "../../../ui/reliability.tsx"
import { t } from "../../../languages/text.ts"

const ROWS = 8

/** Lists providers. Failing providers come first. */
export function ProvidersPanel() {
  const asked = useQuery(reliabilityQuery("provider"))
  return (
    <AskedPanel
      title={t("Providers")}
      description={t("Last 24 hours, failing ones first")}
      actions={
        <TextLink to="/providers" size="sm">
          {t("All providers")}
        </TextLink>
      }
      asked={asked}
    >
      {(history) =>
        history.size === 0 ? (
          <Text size="sm" c="dimmed">
            {t("No requests in the last 24 hours.")}
          </Text>
        ) : (
          <Stack gap="sm" role="list" aria-label={t("Providers")}>
            {[...history.values()]
              .toSorted(worstFirst)
              .slice(0, ROWS)
              .map((row) => (
                <Group key={row.group} role="listitem" justify="space-between" gap="sm">
                  <MarkedProvider provider={row.group}>
                    <TextLink
                      to="/requests"
                      search={{ provider: row.group, time: "24h", ...failedOf(row) }}
                      className="anywhere"
                    >
                      {row.group}
                    </TextLink>
                  </MarkedProvider>
                  <HealthSummary state={row.state} history={row} />
                </Group>
              ))}
          </Stack>
        )
      }
    </AskedPanel>
  )
}

function failedOf({ failed }: ReliabilityRow) {
  return failed > 0 ? { status: "failed" } : {}
}

function worstFirst(left: ReliabilityRow, right: ReliabilityRow): number {
  if (left.state !== right.state) return left.state === "failing" ? -1 : 1
  return shareFailed(right) - shareFailed(left) || right.requests - left.requests
}

function shareFailed({ failed, requests }: ReliabilityRow): number {
  return failed / Math.max(1, requests)
}
