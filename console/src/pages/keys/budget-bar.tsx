import { Group, Progress, Text, Tooltip } from "@mantine/core"
import type { Budget, Key } from "tollgate-contract/keys.ts"
import { creditsText, shortCredits, spentOf, usedShare } from "../../format/credits.ts"
import { relativeText } from "../../format/moments.ts"
import { t } from "../../languages/text.ts"

export interface BudgetBarProperties {
  /** "Total", "Today" or "This month". */
  readonly label: string
  readonly budget: Budget
}

/** Shows the used share of a budget. */
export function BudgetBar({ label, budget }: BudgetBarProperties) {
  const share = usedShare(budget.limit, budget.left)
  const spent = creditsText(spentOf(budget.limit, budget.left))
  const limit = creditsText(budget.limit)
  const shown = `${shortCredits(spentOf(budget.limit, budget.left), 2)} / ${limit}`
  const words =
    budget.resets_at === null
      ? t("{label}: {spent} of {limit} credits used", { label, spent, limit })
      : t("{label}: {spent} of {limit} credits used, resets {when}", {
          label,
          spent,
          limit,
          when: relativeText(budget.resets_at),
        })
  return (
    <Tooltip label={words}>
      <div className="budget">
        <Group justify="space-between" gap="xs" wrap="nowrap">
          <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
            {label}
          </Text>
          <Text size="xs" className="figures">
            {shown}
          </Text>
        </Group>
        <Progress
          value={share * 100}
          size={6}
          color={colorOf(share)}
          aria-label={words}
          className="budget-bar"
        />
      </div>
    </Tooltip>
  )
}

/** Shows all budgets of a key. */
export function BudgetBars({
  budgets,
}: {
  readonly budgets: Pick<Key, "budget" | "daily_budget" | "monthly_budget">
}) {
  const { budget, daily_budget: daily, monthly_budget: monthly } = budgets
  if (budget === null && daily === null && monthly === null) {
    return <span className="dim">{t("no budget")}</span>
  }
  return (
    <div className="budgets">
      {budget !== null && <BudgetBar label={t("Total")} budget={budget} />}
      {daily !== null && <BudgetBar label={t("Today")} budget={daily} />}
      {monthly !== null && <BudgetBar label={t("Month")} budget={monthly} />}
    </div>
  )
}

function colorOf(share: number): string {
  if (share >= 0.95) return "red"
  return share >= 0.75 ? "yellow" : "gate"
}
