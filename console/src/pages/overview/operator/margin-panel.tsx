import { useQuery } from "@tanstack/react-query"
import type { Usage, UsageRow } from "tollgate-contract/usage.ts"
import { oneQuery, untilAnswered } from "../../../api/queries.ts"
import { roughCredits } from "../../../format/credits.ts"
import { marginOf } from "../../../format/margin.ts"
import { utcDay } from "../../../format/moments.ts"
import { shareText } from "../../../format/numbers.ts"
import { AskedPanel } from "../../../ui/asked-panel.tsx"
import { DataTable, type Column } from "../../../ui/data-table.tsx"
import { LinkButton, TextLink } from "../../../ui/link-button.tsx"
import { Money } from "../../../ui/money.tsx"
import { t } from "../../../languages/text.ts"

const DAYS = 30
const ROWS = 8
const POLL_INTERVAL_MS = 60_000
const ALL = "all"

const COLUMNS: readonly Column<UsageRow>[] = [
  {
    id: "provider",
    header: t("Provider"),
    cell: (row) =>
      row.group === ALL ? (
        <strong>{t("All")}</strong>
      ) : (
        <TextLink
          to="/usage"
          search={{ provider: row.group, group: "model", metric: "margin" }}
          className="anywhere"
        >
          {row.group}
        </TextLink>
      ),
  },
  amount("charged", t("Charged"), (row) => row.cost),
  amount("provider_cost", t("Vendor cost"), (row) => row.provider_cost ?? "0"),
  amount("margin", t("Margin"), (row) => marginOf(row) ?? "0"),
  {
    id: "share",
    header: t("Margin, %"),
    isSecondary: true,
    isFigure: true,
    cell: (row) => {
      const charged = roughCredits(row.cost)
      return charged === 0 ? "–" : shareText(roughCredits(marginOf(row) ?? "0") / charged)
    },
  },
  amount("written_off", t("Written off"), (row) => row.written_off ?? "0"),
]

function amount(id: string, header: string, of: (row: UsageRow) => string): Column<UsageRow> {
  return {
    id,
    header,
    isFigure: true,
    cell: (row) => <Money value={of(row)} decimals={4} />,
  }
}

/** Compares charges with provider cost, and shows the cost that was not charged. */
export function MarginPanel() {
  const asked = useQuery({
    ...oneQuery("GET /usage", {
      query: {
        from: `${utcDay(DAYS - 1)}T00:00:00Z`,
        to: `${utcDay(-1)}T00:00:00Z`,
        group: "provider",
      },
    }),
    refetchInterval: untilAnswered(POLL_INTERVAL_MS),
  })
  return (
    <AskedPanel
      title={t("Margin")}
      description={t("Last 30 days, in credits: charges minus the cost at the vendors.")}
      actions={
        <>
          <TextLink to="/requests" search={{ status: "written_off" }} size="sm">
            {t("Write-offs")}
          </TextLink>
          <LinkButton
            to="/usage"
            search={{ metric: "margin", group: "account" }}
            size="compact-sm"
            variant="default"
          >
            {t("By account")}
          </LinkButton>
        </>
      }
      isFlush
      asked={asked}
    >
      {(usage) => (
        <DataTable
          label={t("Margin by provider")}
          columns={COLUMNS}
          rows={rowsOf(usage)}
          rowKey={({ group }) => group}
          minWidth={640}
        />
      )}
    </AskedPanel>
  )
}

/** Returns the rows with the total first. Requests without a provider cost nothing, so their row is omitted. */
function rowsOf({ data, total }: Usage): UsageRow[] {
  const providers = data.filter(({ group }) => group !== "")
  return [{ ...total, group: ALL }, ...providers.slice(0, ROWS)]
}
