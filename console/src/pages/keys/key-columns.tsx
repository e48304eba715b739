import { Anchor, Box, Group, Text } from "@mantine/core"
import type { ReactNode } from "react"
import type { Key } from "tollgate-contract/keys.ts"
import { countText } from "../../format/numbers.ts"
import type { Column } from "../../ui/data-column.ts"
import { AccountName } from "../../ui/account-name.tsx"
import { Money } from "../../ui/money.tsx"
import { Sparkline } from "../../ui/sparkline.tsx"
import { When } from "../../ui/when.tsx"
import { BudgetBars } from "./budget-bar.tsx"
import { KeyStatus } from "./key-status.tsx"
import { type KeyTrends, TREND_DAYS } from "./key-trends.ts"
import { rich, t } from "../../languages/text.ts"
import { someOf } from "../../format/lists.ts"

export interface KeyColumnsOrder {
  /** Whether the keys are from several accounts. Otherwise the account column is hidden. */
  readonly isAll: boolean
  /** Shows the user who created a key. */
  readonly creator: (key: Key) => ReactNode
  /** The spending of the last days; undefined while it is loading. */
  readonly trends: KeyTrends | undefined
  readonly onEdit: (key: Key) => void
  readonly menu: (key: Key) => ReactNode
}

const EXTRA_COLUMNS: readonly Column<Key>[] = [
  {
    id: "created",
    header: t("Created"),
    sort: "desc",
    isExtra: true,
    cell: (key) => <When at={key.created_at} />,
  },
  {
    id: "expires",
    header: t("Expires"),
    sort: "asc",
    isExtra: true,
    cell: (key) => <When at={key.expires_at} none={t("never")} />,
  },
  {
    id: "requests",
    header: t("Requests a minute"),
    isFigure: true,
    isExtra: true,
    cell: (key) => limitOf(key.requests_per_minute),
  },
  {
    id: "tokens",
    header: t("Tokens a minute"),
    isFigure: true,
    isExtra: true,
    cell: (key) => limitOf(key.tokens_per_minute),
  },
]

/** Returns the columns of the list of keys. */
export function keyColumns({
  isAll,
  creator,
  trends,
  onEdit,
  menu,
}: KeyColumnsOrder): Column<Key>[] {
  return [
    {
      id: "name",
      header: t("Name"),
      width: "22%",
      sort: "asc",
      cell: (key) => (
        <Box>
          {key.may_change && key.status !== "revoked" ? (
            <Anchor component="button" type="button" ta="left" onClick={() => onEdit(key)}>
              {key.name}
            </Anchor>
          ) : (
            <span>{key.name}</span>
          )}
          <Text size="xs" c="dimmed" className="mono row-detail" fw={400}>
            {key.hint === null ? key.id : `sk-tg-…${key.hint}`}
          </Text>
        </Box>
      ),
    },
    ...(!isAll
      ? []
      : [
          {
            id: "account",
            header: t("Account"),
            cell: (key: Key) => <AccountName id={key.account} />,
          },
        ]),
    { id: "status", header: t("Status"), cell: statusCell },
    {
      id: "budgets",
      header: t("Budgets"),
      cell: (key) => <BudgetBars budgets={key} />,
      width: 200,
    },
    { id: "models", header: t("Models"), cell: modelsCell, isSecondary: true },
    { id: "creator", header: t("Creator"), cell: creator, isSecondary: true },
    ...spendingColumns(trends),
    {
      id: "used",
      header: t("Last used"),
      isSecondary: true,
      sort: "desc",
      cell: (key) => <When at={key.last_used_at} none={t("never")} />,
    },
    ...EXTRA_COLUMNS,
    {
      id: "menu",
      header: t("Actions"),
      isAction: true,
      width: 56,
      cell: menu,
    },
  ]
}

function spendingColumns(trends: KeyTrends | undefined): readonly Column<Key>[] {
  return [
    {
      id: "spent",
      header: t("Spent"),
      isFigure: true,
      sort: "desc",
      cell: (key) => <Money value={key.spent} decimals={4} />,
    },
    {
      id: "trend",
      header: t("{days} days", { days: TREND_DAYS }),
      isSecondary: true,
      isWideOnly: true,
      cell: (key) => (
        <Sparkline
          values={trends?.get(key.id) ?? []}
          label={t("Spend by day, last {days} days", { days: TREND_DAYS })}
        />
      ),
    },
  ]
}

function limitOf(limit: number | null): ReactNode {
  return limit === null ? <span className="dim">{t("no limit")}</span> : countText(limit)
}

function statusCell(key: Key): ReactNode {
  const grace = key.grace_until.at(-1)
  return (
    <Box>
      <Group gap={6}>
        <KeyStatus of={key} />
      </Group>
      {key.status === "active" && key.expires_at !== null && (
        <Text size="xs" c="dimmed">
          {rich("expires {when}", { when: <When at={key.expires_at} /> })}
        </Text>
      )}
      {key.status === "active" && grace !== undefined && (
        <Text size="xs" c="dimmed">
          {rich("old secret expires {when}", { when: <When at={grace} /> })}
        </Text>
      )}
    </Box>
  )
}

const SHOWN_MODELS = 2

function modelsCell(key: Key): ReactNode {
  if (key.models === null) return <span className="dim">{t("all")}</span>
  const more = key.models.length - SHOWN_MODELS
  return (
    <Text size="sm" className="anywhere" title={key.models.join("\n")}>
      {someOf(key.models.slice(0, SHOWN_MODELS), more)}
    </Text>
  )
}
