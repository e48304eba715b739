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
    header: "Created",
    sort: "desc",
    isExtra: true,
    cell: (key) => <When at={key.created_at} />,
  },
  {
    id: "expires",
    header: "Expires",
    sort: "asc",
    isExtra: true,
    cell: (key) => <When at={key.expires_at} none="never" />,
  },
  {
    id: "requests",
    header: "Requests a minute",
    isFigure: true,
    isExtra: true,
    cell: (key) => limitOf(key.requests_per_minute),
  },
  {
    id: "tokens",
    header: "Tokens a minute",
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
      header: "Name",
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
          <Text size="xs" c="dimmed" className="mono" fw={400}>
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
            header: "Account",
            cell: (key: Key) => <AccountName id={key.account} />,
          },
        ]),
    { id: "status", header: "Status", cell: statusCell },
    { id: "budgets", header: "Budgets", cell: (key) => <BudgetBars budgets={key} />, width: 200 },
    { id: "models", header: "Models", cell: modelsCell, isSecondary: true },
    { id: "creator", header: "Creator", cell: creator, isSecondary: true },
    ...spendingColumns(trends),
    {
      id: "used",
      header: "Last used",
      isSecondary: true,
      sort: "desc",
      cell: (key) => <When at={key.last_used_at} none="never" />,
    },
    ...EXTRA_COLUMNS,
    {
      id: "menu",
      header: "Actions",
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
      header: "Spent",
      isFigure: true,
      sort: "desc",
      cell: (key) => <Money value={key.spent} decimals={4} />,
    },
    {
      id: "trend",
      header: `${TREND_DAYS} days`,
      isSecondary: true,
      isWideOnly: true,
      cell: (key) => (
        <Sparkline
          values={trends?.get(key.id) ?? []}
          label={`Spend by day, last ${TREND_DAYS} days`}
        />
      ),
    },
  ]
}

function limitOf(limit: number | null): ReactNode {
  return limit === null ? <span className="dim">no limit</span> : countText(limit)
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
          until <When at={key.expires_at} />
        </Text>
      )}
      {key.status === "active" && grace !== undefined && (
        <Text size="xs" c="dimmed">
          old secret until <When at={grace} />
        </Text>
      )}
    </Box>
  )
}

const SHOWN_MODELS = 2

function modelsCell(key: Key): ReactNode {
  if (key.models === null) return <span className="dim">all</span>
  const more = key.models.length - SHOWN_MODELS
  return (
    <Text size="sm" className="anywhere" title={key.models.join("\n")}>
      {key.models.slice(0, SHOWN_MODELS).join(", ")}
      {more > 0 && ` and ${more} more`}
    </Text>
  )
}
