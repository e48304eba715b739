import { Button, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { LabelBudget, LabelSpending } from "tollgate-contract/label-budgets.ts"
import { useAccount } from "../../account.tsx"
import { api } from "../../api/client.ts"
import { oneQuery } from "../../api/queries.ts"
import { refresh } from "../../api/refresh.ts"
import { usePages } from "../../api/use-pages.ts"
import { Confirm } from "../../ui/confirm.tsx"
import type { Column } from "../../ui/data-column.ts"
import { DataTable } from "../../ui/data-table.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { Money } from "../../ui/money.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { Panel } from "../../ui/panel.tsx"
import { When } from "../../ui/when.tsx"
import { LabelBudgetModal } from "./label-budget-modal.tsx"
import { labelText, withoutBudget } from "./label-budget-words.ts"
import { t } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"

/** Shows the limits and the spending of an account's end users and tags. */
export function LabelBudgetsPanel({ account }: { readonly account: string }) {
  const { may } = useAccount()
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<LabelBudget>()
  const found = useQuery(oneQuery("GET /accounts/{id}/label-budgets", { path: { id: account } }))
  const budgets = found.data?.budgets ?? []
  if (budgets.length === 0 && !may("owner")) return null
  const remove = async (gone: LabelBudget): Promise<void> => {
    const body = { budgets: withoutBudget(budgets, gone) }
    await api("PUT /accounts/{id}/label-budgets", { path: { id: account }, body })
    await refresh("/accounts")
  }
  return (
    <Panel
      title={t("Budgets of end users and tags")}
      description={t(
        "For requests that name their end user or tags. All other budgets apply as well.",
      )}
      isFlush={budgets.length > 0}
      actions={
        may("owner") && (
          <Button
            size="xs"
            variant="default"
            disabled={!found.isSuccess}
            onClick={() => setAdding(true)}
          >
            {t("Set a budget")}
          </Button>
        )
      }
    >
      <ErrorNotice error={found.error} retry={() => void found.refetch()} />
      {found.error === null && budgets.length === 0 && (
        <Text size="sm" c="dimmed">
          {found.isSuccess ? t("None.") : t("Loading…")}
        </Text>
      )}
      {budgets.length > 0 && (
        <DataTable
          label={t("Budgets of end users and tags")}
          columns={budgetColumns(may("owner") ? setRemoved : undefined)}
          rows={budgets}
          rowKey={labelText}
        />
      )}
      {budgets.length > 0 && <Spending account={account} />}
      <LabelBudgetModal
        account={account}
        budgets={budgets}
        isOpen={isAdding}
        onClose={() => setAdding(false)}
      />
      <Confirm
        isOpen={removed !== undefined}
        title={t("Remove the budget?")}
        action={t("Remove")}
        onConfirm={async () => removed && remove(removed)}
        onClose={() => setRemoved(undefined)}
      >
        {removed &&
          t("Requests of {label} are no longer held to it.", { label: labelText(removed) })}
      </Confirm>
    </Panel>
  )
}

function budgetColumns(
  onRemove: ((budget: LabelBudget) => void) | undefined,
): readonly Column<LabelBudget>[] {
  return [
    {
      id: "for",
      header: t("Applies to"),
      cell: (row) => <span className="anywhere">{labelText(row)}</span>,
    },
    {
      id: "day",
      header: t("Per day"),
      isFigure: true,
      cell: ({ daily_budget: amount }) => <Limit amount={amount} />,
    },
    {
      id: "month",
      header: t("Per month"),
      isFigure: true,
      cell: ({ monthly_budget: amount }) => <Limit amount={amount} />,
    },
    ...(onRemove === undefined
      ? []
      : [
          {
            id: "actions",
            header: t("Actions"),
            isAction: true,
            cell: (row: LabelBudget) => (
              <Button
                size="compact-xs"
                variant="subtle"
                color="red"
                aria-label={t("Remove the budget of {label}", { label: labelText(row) })}
                onClick={() => onRemove(row)}
              >
                {t("Remove")}
              </Button>
            ),
          },
        ]),
  ]
}

function Limit({ amount }: { readonly amount: string | null }) {
  return amount === null ? <span className="dim">{t("no limit")}</span> : <Money value={amount} />
}

const SPENDING: readonly Column<LabelSpending>[] = [
  {
    id: "who",
    header: t("Applies to"),
    cell: (row) => <span className="anywhere">{labelText(row)}</span>,
  },
  { id: "period", header: t("Period"), cell: ({ period }) => word(period) },
  { id: "spent", header: t("Spent"), isFigure: true, cell: ({ spent }) => <Money value={spent} /> },
  {
    id: "left",
    header: t("Remaining"),
    isFigure: true,
    cell: ({ left }) => <Money value={left} />,
  },
  {
    id: "resets",
    header: t("Resets"),
    isWideOnly: true,
    cell: ({ resets_at: at }) => <When at={at} />,
  },
]

function Spending({ account }: { readonly account: string }) {
  const spending = usePages("GET /accounts/{id}/label-budgets/spent", { path: { id: account } })
  return (
    <>
      <ErrorNotice error={spending.error} retry={spending.retry} />
      <DataTable
        label={t("Spend of end users and tags")}
        columns={SPENDING}
        rows={spending.items}
        rowKey={(row) => `${labelText(row)} ${row.period}`}
      />
      <MoreButton pages={spending} />
    </>
  )
}
