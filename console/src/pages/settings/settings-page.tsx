import "./settings.css"
import { Skeleton } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { oneQuery } from "../../api/queries.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { Facts } from "../../ui/facts.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { LedgerPanel } from "./ledger-panel.tsx"
import { ChangeableSettings } from "./changeable-settings.tsx"
import { EffectiveSettings } from "./effective-settings.tsx"
import { IssuersPanel } from "./issuers-panel.tsx"
import { KnownPrices } from "./known-prices.tsx"
import { t } from "../../languages/text.ts"

/** Shows the gateway's settings and verifies its ledger. */
export function SettingsPage() {
  const { data, isPending, error, refetch } = useQuery(oneQuery("GET /settings", {}))
  return (
    <Page
      title={t("Settings")}
      description={t(
        "How this gateway is configured. Settings from the file or the environment are locked here.",
      )}
    >
      <ErrorNotice error={error} retry={() => void refetch()} />
      {isPending && <Skeleton height={240} />}
      {data !== undefined && (
        <>
          <Panel title={t("This gateway")}>
            <Facts
              facts={[
                { label: t("Version"), value: data.version },
                {
                  label: t("Settings file"),
                  value: <span className="mono">{data.file ?? t("none")}</span>,
                  isWide: true,
                },
              ]}
            />
          </Panel>
          <KnownPrices />
          <ChangeableSettings settings={data.changeable} />
          <IssuersPanel />
          <LedgerPanel />
          <EffectiveSettings settings={data.effective} />
        </>
      )}
    </Page>
  )
}
