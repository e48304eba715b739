import { Button, Skeleton, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { Usage, UsageChange } from "tollgate-contract/usage.ts"
import { oneQuery } from "../../api/queries.ts"
import { nanos, nanosText } from "../../format/credits.ts"
import { DataTable, type Column } from "../../ui/data-table.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { Money } from "../../ui/money.tsx"
import { Panel } from "../../ui/panel.tsx"
import { causeName, changeSentence, directionOf, KIND_NAMES } from "./spending-change.ts"
import { narrowing, type UsageFilters, type UsageSpan } from "./usage-filters.ts"
import { t } from "../../languages/text.ts"

export interface SpendingChangePanelProperties {
  readonly usage: Usage
  readonly filters: UsageFilters
  readonly account: string | undefined
  readonly span: UsageSpan
  readonly onExplain: () => void
}

/** Explains a change in spending since the preceding period. A button requests the comparison. */
export function SpendingChangePanel(properties: SpendingChangePanelProperties) {
  const { usage, filters, account, span, onExplain } = properties
  const before = usage.before?.total.cost ?? "0"
  const direction = directionOf(nanosText(nanos(usage.total.cost) - nanos(before)))
  if (direction === "stay") return null
  const isOpen = filters.why !== undefined
  return (
    <Panel
      title={direction === "rise" ? t("Why did spend rise?") : t("Why did spend fall?")}
      description={t("Compares the time range with the previous one of the same length.")}
      actions={
        !isOpen && (
          <Button variant="default" size="xs" onClick={onExplain}>
            {t("Explain")}
          </Button>
        )
      }
    >
      {isOpen && <Explanation filters={filters} account={account} span={span} />}
    </Panel>
  )
}

/** Height in CSS pixels of the sentence and a table of average length, which is reserved while they load. */
const RESERVED_HEIGHT = 320

function Explanation({
  filters,
  account,
  span,
}: Pick<SpendingChangePanelProperties, "filters" | "account" | "span">) {
  const query = { account, ...narrowing(filters), from: span.from, to: span.to }
  const { data: changes, error } = useQuery(oneQuery("GET /usage/changes", { query }))
  if (error) return <ErrorNotice error={error} title={t("The periods could not be compared")} />
  if (changes === undefined) return <Skeleton height={RESERVED_HEIGHT} />
  return (
    <>
      <Text size="sm" mb="sm">
        {changeSentence(changes)}
      </Text>
      <DataTable
        label={t("Causes of the change")}
        columns={columnsOf(filters)}
        rows={changes.data}
        rowKey={({ kind, group }) => `${kind} ${group}`}
        minWidth={640}
      />
    </>
  )
}

function columnsOf(filters: UsageFilters): Column<UsageChange>[] {
  return [
    { id: "kind", header: t("Kind"), cell: ({ kind }) => KIND_NAMES[kind] },
    {
      id: "name",
      header: t("Name"),
      cell: (cause) => (
        <TextLink
          to="/usage"
          search={{ ...filters, [cause.kind]: cause.group }}
          className="anywhere"
        >
          {causeName(cause)}
        </TextLink>
      ),
    },
    {
      id: "before",
      header: t("Before"),
      isFigure: true,
      cell: (cause) => <Money value={cause.compared_cost} decimals={4} />,
    },
    {
      id: "now",
      header: t("Now"),
      isFigure: true,
      cell: (cause) => <Money value={cause.cost} decimals={4} />,
    },
    {
      id: "change",
      header: t("Change"),
      isFigure: true,
      cell: (cause) => <Money value={cause.change} decimals={4} isSigned />,
    },
  ]
}
