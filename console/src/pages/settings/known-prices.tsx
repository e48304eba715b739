import { useQuery } from "@tanstack/react-query"
import { oneQuery } from "../../api/queries.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { Facts } from "../../ui/facts.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { Panel } from "../../ui/panel.tsx"
import { When } from "../../ui/when.tsx"

/** Shows the active list of known prices. */
export function KnownPrices() {
  const { data, error, refetch } = useQuery(oneQuery("GET /prices", {}))
  return (
    <Panel title="Known prices" description="For models without a price of your own.">
      <ErrorNotice error={error} retry={() => void refetch()} />
      {data !== undefined && (
        <Facts
          facts={[
            { label: "Date", value: data.date },
            { label: "Source", value: <span className="mono anywhere">{data.source}</span> },
            { label: "In use since", value: <When at={data.since} none="the start" /> },
            {
              label: "Newer list",
              value:
                data.pending === null ? (
                  "none"
                ) : (
                  <TextLink to="/models">of {data.pending.date}</TextLink>
                ),
            },
          ]}
        />
      )}
    </Panel>
  )
}
