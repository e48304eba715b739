import { Skeleton } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { RouteResponse } from "tollgate-contract/client.ts"
import { oneQuery } from "../../api/queries.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { type Fact, Facts } from "../../ui/facts.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { Panel } from "../../ui/panel.tsx"
import { When } from "../../ui/when.tsx"
import { known, t } from "../../languages/text.ts"

/** Shows the active list of known prices. */
export function KnownPrices() {
  const { data, error, refetch } = useQuery(oneQuery("GET /prices", {}))
  return (
    <Panel title={t("Known prices")} description={t("For models without a price of your own.")}>
      <ErrorNotice error={error} retry={() => void refetch()} />
      {error === null && <Facts facts={factsOf(data)} />}
    </Panel>
  )
}

/** Returns the facts of the list. Placeholders reserve their space while the list is loading. */
function factsOf(list: RouteResponse<"GET /prices"> | undefined): readonly Fact[] {
  const shown = (value: (list: RouteResponse<"GET /prices">) => ReactNode) =>
    list === undefined ? <Skeleton height={20} width={120} /> : value(list)
  return [
    { label: t("Date"), value: shown(({ date }) => date) },
    {
      label: t("Source"),
      value: shown(({ source }) => <span className="mono anywhere">{known(source)}</span>),
    },
    {
      label: t("Active since"),
      value: shown(({ since }) => <When at={since} none={t("startup")} />),
    },
    {
      label: t("Newer list"),
      value: shown(({ pending }) =>
        pending === null ? (
          t("none")
        ) : (
          <TextLink to="/models">{t("of {date}", { date: pending.date })}</TextLink>
        ),
      ),
    },
  ]
}
