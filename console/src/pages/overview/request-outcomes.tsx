import { Group } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { Overview } from "tollgate-contract/usage.ts"
import { oneQuery } from "../../api/queries.ts"
import { calendarSpan } from "../../format/days.ts"
import { countText, shareText } from "../../format/numbers.ts"
import { TextLink } from "../../ui/link-button.tsx"
import { t } from "../../languages/text.ts"

const POLL_INTERVAL_MS = 10_000

interface RequestOutcomesProperties {
  readonly account: string | undefined
  readonly overview: Overview | undefined
}

/** Shows how many requests of today failed, and how many were rejected before a provider was called. */
export function RequestOutcomes({ account, overview }: RequestOutcomesProperties) {
  const query = {
    ...calendarSpan("today", Date.now()),
    account,
    status: "rejected" as const,
    step: "day" as const,
  }
  const { data } = useQuery({
    ...oneQuery("GET /usage/requests", { query }),
    refetchInterval: POLL_INTERVAL_MS,
  })
  const rejected = data?.data.reduce((sum, count) => sum + count.rejected, 0) ?? 0
  const { requests_today: requests = 0, errors_today: failed = 0 } = overview ?? {}
  if (failed === 0 && rejected === 0) return t("none failed")
  return (
    <Group gap="0 0.5rem">
      {failed > 0 && (
        <TextLink to="/requests" search={{ status: "failed", time: "24h" }} className="urgent">
          {t("{errors} failed ({share})", {
            errors: countText(failed),
            share: shareText(failed / Math.max(1, requests)),
          })}
        </TextLink>
      )}
      {rejected > 0 && (
        <TextLink to="/requests" search={{ status: "rejected", time: "24h" }}>
          {t("{rejected} rejected", { rejected: countText(rejected) })}
        </TextLink>
      )}
    </Group>
  )
}
