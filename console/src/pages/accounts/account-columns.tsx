import { Text } from "@mantine/core"
import type { AccountSort, ListedAccount } from "tollgate-contract/accounts.ts"
import { roughCredits } from "../../format/credits.ts"
import { daysLeftText, isRunningDry } from "../../format/days-left.ts"
import type { Column } from "../../ui/data-table.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { Money } from "../../ui/money.tsx"
import { Sparkline } from "../../ui/sparkline.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import { t } from "../../languages/text.ts"

/** Number of days of a trend, as in the API. */
const TREND_DAYS = 14

/** A column, with the name that the API uses to sort by this column. */
interface AccountColumn extends Column<ListedAccount> {
  readonly id: AccountSort | "state" | "trend"
}

/** The columns of the list of accounts. */
export const ACCOUNT_COLUMNS: readonly AccountColumn[] = [
  {
    id: "name",
    header: t("Account"),
    sort: "asc",
    cell: ({ id, name }) => (
      <>
        <TextLink to="/accounts/$account" params={{ account: id }} fw={600} className="anywhere">
          {name}
        </TextLink>
        <Text size="xs" c="dimmed" className="mono row-detail" fw={400}>
          {id}
        </Text>
      </>
    ),
  },
  {
    id: "state",
    header: t("State"),
    cell: ({ state, stores_content: isStored }) => (
      <>
        <Status value={state} />
        {isStored && (
          <Text size="xs" c="dimmed">
            {t("stores prompts")}
          </Text>
        )}
      </>
    ),
  },
  {
    id: "balance",
    header: t("Balance"),
    isFigure: true,
    sort: "asc",
    cell: ({ balance }) => <Money value={balance} decimals={4} />,
  },
  {
    id: "spent_30_days",
    header: t("Spent, 30\u00a0days"),
    isFigure: true,
    sort: "desc",
    cell: ({ usage }) =>
      usage === undefined ? "–" : <Money value={usage.spent_30_days} decimals={4} />,
  },
  {
    id: "trend",
    header: t("{days} days", { days: TREND_DAYS }),
    isSecondary: true,
    isWideOnly: true,
    cell: ({ usage }) => (
      <Sparkline
        values={usage?.spent_by_day?.map(roughCredits) ?? []}
        label={t("Spend by day, last {days} days", { days: TREND_DAYS })}
      />
    ),
  },
  {
    id: "days_left",
    header: t("Days left"),
    isFigure: true,
    sort: "asc",
    cell: ({ usage }) => <DaysLeft days={usage?.days_left ?? null} />,
  },
  {
    id: "last_used_at",
    header: t("Last used"),
    isSecondary: true,
    sort: "desc",
    cell: ({ usage }) =>
      usage === undefined ? "–" : <When at={usage.last_used_at} none={t("never")} />,
  },
  {
    id: "created_at",
    header: t("Created"),
    isSecondary: true,
    sort: "desc",
    cell: ({ created_at: createdAt }) => <When at={createdAt} />,
  },
]

/** Shows the days until a balance is used up. */
export function DaysLeft({ days }: { readonly days: number | null }) {
  const tone = isRunningDry(days) ? "urgent" : days === null ? "dim" : ""
  return (
    <span className={`figures ${tone}`} title={t("At the pace of the last seven days")}>
      {daysLeftText(days)}
    </span>
  )
}

/** Converts the table's sort order to the API's form. */
export function sortOf(by: string): AccountSort {
  const column = ACCOUNT_COLUMNS.find(({ id, sort }) => id === by && sort !== undefined)
  return column === undefined || column.id === "state" || column.id === "trend" ? "name" : column.id
}
