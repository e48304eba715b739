import { Select } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useState } from "react"
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
import { inSentence, t } from "../../../languages/text.ts"
import { nameOf } from "../../usage/series.ts"

const DAYS = 30
const ROWS = 8
const POLL_INTERVAL_MS = 60_000
/** The key of the row of all requests, which no group can have. */
const ALL = " "

const MARGIN_GROUPS = [
  { value: "provider", label: t("Provider") },
  { value: "account", label: t("Account") },
  { value: "model", label: t("Model") },
  { value: "price_group", label: t("Price group") },
] as const
type MarginGroup = (typeof MARGIN_GROUPS)[number]["value"]

/** A row of the table. The row of all requests has no group. */
interface MarginRow {
  readonly sums: UsageRow
  readonly group: string | undefined
}

function groupOf(value: string | null): (typeof MARGIN_GROUPS)[number] {
  return MARGIN_GROUPS.find((group) => group.value === value) ?? MARGIN_GROUPS[0]
}

function columnsOf({
  value: group,
  label,
}: (typeof MARGIN_GROUPS)[number]): readonly Column<MarginRow>[] {
  return [
    { id: "group", header: label, cell: (row) => <GroupName row={row} group={group} /> },
    ...COLUMNS,
  ]
}

/** Links to the margin of a group. Requests without a group have no such page. */
function GroupName({ row, group }: { readonly row: MarginRow; readonly group: MarginGroup }) {
  if (row.group === undefined) return <strong>{t("All")}</strong>
  if (row.group === "") return nameOf(row.sums)
  const by = group === "model" ? "account" : "model"
  return (
    <TextLink
      to="/usage"
      search={{ [group]: row.group, group: by, metric: "margin" }}
      className="anywhere"
    >
      {nameOf(row.sums)}
    </TextLink>
  )
}

const COLUMNS: readonly Column<MarginRow>[] = [
  amount("charged", t("Charged"), (sums) => sums.cost),
  amount("provider_cost", t("Vendor cost"), (sums) => sums.provider_cost ?? "0"),
  amount("margin", t("Margin"), (sums) => marginOf(sums) ?? "0"),
  {
    id: "share",
    header: t("Margin, %"),
    isSecondary: true,
    isFigure: true,
    cell: ({ sums }) => {
      const charged = roughCredits(sums.cost)
      return charged === 0 ? "–" : shareText(roughCredits(marginOf(sums) ?? "0") / charged)
    },
  },
  amount("written_off", t("Written off"), (sums) => sums.written_off ?? "0"),
]

function amount(id: string, header: string, of: (sums: UsageRow) => string): Column<MarginRow> {
  return {
    id,
    header,
    isFigure: true,
    cell: ({ sums }) => <Money value={of(sums)} decimals={4} />,
  }
}

/** Compares charges with provider cost, and shows the cost that was not charged. */
export function MarginPanel() {
  const [group, setGroup] = useState<MarginGroup>("provider")
  const chosen = groupOf(group)
  const asked = useQuery({
    ...oneQuery("GET /usage", {
      query: {
        from: `${utcDay(DAYS - 1)}T00:00:00Z`,
        to: `${utcDay(-1)}T00:00:00Z`,
        group,
      },
    }),
    placeholderData: keepPreviousData,
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
            search={{ metric: "margin", group }}
            size="compact-sm"
            variant="default"
          >
            {t("Usage")}
          </LinkButton>
          <Select
            aria-label={t("Group by")}
            data={[...MARGIN_GROUPS]}
            value={group}
            onChange={(value) => setGroup(groupOf(value).value)}
            allowDeselect={false}
            size="xs"
            w={150}
          />
        </>
      }
      isFlush
      asked={asked}
    >
      {(usage) => (
        <DataTable
          label={t("Margin by {noun}", { noun: inSentence(chosen.label) })}
          columns={columnsOf(chosen)}
          rows={rowsOf(usage, group)}
          rowKey={(row) => row.group ?? ALL}
          minWidth={640}
        />
      )}
    </AskedPanel>
  )
}

/** Returns the rows with the total first. Requests without a provider cost nothing, so their row is omitted. */
function rowsOf({ data, total }: Usage, group: MarginGroup): MarginRow[] {
  const named = group === "provider" ? data.filter((row) => row.group !== "") : data
  return [
    { sums: total, group: undefined },
    ...named.slice(0, ROWS).map((sums) => ({ sums, group: sums.group })),
  ]
}
