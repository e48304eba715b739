import { useQuery } from "@tanstack/react-query"
import { Suspense } from "react"
import { untilAnswered } from "../../api/queries.ts"
import { reliabilityQuery } from "../../api/reliability.ts"
import { lazyPart } from "../../layout/lazy-page.ts"

/** Loaded only during an outage. */
const FailingPanel = lazyPart(() =>
  import("./failing-panel.tsx").then((module) => module.FailingPanel),
)
/** Shorter than on other pages, so that an operator can watch an outage. */
const POLL_INTERVAL_MS = 10_000

/** Lists failing providers at the top of the overview. Shows nothing if all providers work. */
export function FailingProviders() {
  const { data } = useQuery({
    ...reliabilityQuery("provider"),
    refetchInterval: untilAnswered(POLL_INTERVAL_MS),
  })
  const rows = [...(data?.values() ?? [])]
  if (!rows.some(({ state }) => state === "failing")) return null
  return (
    <Suspense>
      <FailingPanel rows={rows} />
    </Suspense>
  )
}
