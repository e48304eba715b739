import { Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ListedAccount } from "tollgate-contract/accounts.ts"
import { oneQuery, untilAnswered } from "../../../api/queries.ts"
import { AskedPanel } from "../../../ui/asked-panel.tsx"
import { DataTable } from "../../../ui/data-table.tsx"
import { TextLink } from "../../../ui/link-button.tsx"
import { ACCOUNT_COLUMNS } from "../../accounts/account-columns.tsx"
import { t } from "../../../languages/text.ts"

const ROWS = 8
const LOW_DAYS_LEFT = 30
const POLL_INTERVAL_MS = 60_000
const SHOWN = new Set(["name", "spent_30_days", "balance", "days_left"])
const COLUMNS = ACCOUNT_COLUMNS.filter(({ id }) => SHOWN.has(id))

/** The accounts that spend the most. */
export function TopAccountsPanel() {
  const asked = useQuery({
    ...oneQuery("GET /accounts", {
      query: { sort: "spent_30_days", order: "desc", usage: "true", limit: ROWS },
    }),
    refetchInterval: untilAnswered(POLL_INTERVAL_MS),
  })
  return (
    <AskedPanel
      title={t("Top accounts")}
      description={t("Last 30 days")}
      actions={
        <TextLink to="/accounts" search={{ sort: "-spent_30_days" }} size="sm">
          {t("All accounts")}
        </TextLink>
      }
      isFlush
      asked={asked}
    >
      {({ data }) => (
        <AccountTable
          label={t("Top accounts")}
          rows={data.filter(({ usage }) => usage !== undefined && usage.spent_30_days !== "0")}
          none={t("No account has spent anything yet.")}
        />
      )}
    </AskedPanel>
  )
}

/** The accounts whose balance is used up soon. */
export function RunningDryPanel() {
  const asked = useQuery({
    ...oneQuery("GET /accounts", {
      query: { sort: "days_left", state: "active", usage: "true", limit: ROWS },
    }),
    refetchInterval: untilAnswered(POLL_INTERVAL_MS),
  })
  return (
    <AskedPanel
      title={t("Running out of credits")}
      description={t("Within a month, at the pace of the last seven days")}
      actions={<WithoutCredits />}
      isFlush
      asked={asked}
    >
      {({ data }) => (
        <AccountTable
          label={t("Accounts that run out of credits")}
          rows={data.filter(({ usage }) => (usage?.days_left ?? Infinity) <= LOW_DAYS_LEFT)}
          none={t("Every active account has credits for more than a month.")}
        />
      )}
    </AskedPanel>
  )
}

/** The number of accounts without credits. */
function WithoutCredits() {
  const { data } = useQuery({
    ...oneQuery("GET /accounts", { query: { credits: "none", limit: 1 } }),
    refetchInterval: untilAnswered(POLL_INTERVAL_MS),
  })
  if (data === undefined || data.total === 0) return null
  return (
    <TextLink to="/accounts" search={{ credits: "none" }} size="sm">
      {t("{total, plural, one {# account} other {# accounts}} without credits", {
        total: data.total,
      })}
    </TextLink>
  )
}

interface AccountTableProperties {
  readonly label: string
  readonly rows: readonly ListedAccount[]
  readonly none: string
}

function AccountTable({ label, rows, none }: AccountTableProperties) {
  return (
    <DataTable
      label={label}
      columns={COLUMNS}
      rows={rows}
      rowKey={({ id }) => id}
      minWidth={460}
      empty={
        <Text size="sm" c="dimmed" p="md" pt={0}>
          {none}
        </Text>
      }
    />
  )
}
