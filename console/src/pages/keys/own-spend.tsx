import { Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { oneQuery } from "../../api/queries.ts"
import { usePages } from "../../api/use-pages.ts"
import { nanos, nanosText } from "../../format/credits.ts"
import { calendarSpan } from "../../format/days.ts"
import { Money } from "../../ui/money.tsx"
import { rich } from "../../languages/text.ts"

const PAGE = 200

/** Shows the spending of all keys that the user created, revoked ones included. */
export function OwnSpend({ account }: { readonly account: string | undefined }) {
  const month = useMemo(() => calendarSpan("month", Date.now()), [])
  const keys = usePages("GET /keys", { query: { account, mine: "true", limit: PAGE } })
  const usage = useQuery(oneQuery("GET /usage", { query: { account, group: "key", ...month } }))
  if (keys.isLoading || keys.hasMore || usage.data === undefined) return null
  const own = new Set(keys.items.map(({ id }) => id))
  const ofMonth = usage.data.data.filter(({ group }) => own.has(group))
  return (
    <Text size="sm" role="status">
      {rich("Your keys spent {month} this month, and {total} in total.", {
        month: <Money value={sumOf(ofMonth.map(({ cost }) => cost))} hasUnit />,
        total: <Money value={sumOf(keys.items.map(({ spent }) => spent))} hasUnit />,
      })}
    </Text>
  )
}

function sumOf(amounts: readonly string[]): string {
  return nanosText(amounts.reduce((sum, amount) => sum + nanos(amount), 0n))
}
