import { Text } from "@mantine/core"
import type { ReliabilityRow } from "tollgate-contract/usage.ts"
import { ALL_ACCOUNTS } from "../../account.tsx"
import { countText, durationText, shareText } from "../../format/numbers.ts"
import { toLocalField } from "../../format/moments.ts"
import type { Column } from "../../ui/data-column.ts"
import { DataTable } from "../../ui/data-table.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { Panel } from "../../ui/panel.tsx"
import { MarkedProvider } from "../../ui/provider-mark.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import { failuresSince } from "./failures-since.ts"
import { t } from "../../languages/text.ts"

const COLUMNS: readonly Column<ReliabilityRow>[] = [
  {
    id: "provider",
    header: t("Provider"),
    cell: (row) => (
      <MarkedProvider provider={row.group}>
        <TextLink
          to="/requests"
          search={{
            account: ALL_ACCOUNTS,
            provider: row.group,
            status: "failed",
            time: "custom",
            from: toLocalField(row.failing_since ?? ""),
          }}
          className="anywhere"
        >
          {row.group}
        </TextLink>
      </MarkedProvider>
    ),
  },
  { id: "state", header: t("State"), cell: ({ state }) => <Status value={state} color="red" /> },
  { id: "since", header: t("Since"), cell: (row) => <When at={row.failing_since} isExact /> },
  { id: "rate", header: t("Failed since then"), isFigure: true, cell: rateCell },
  {
    id: "p95",
    header: t("95% within"),
    isFigure: true,
    isSecondary: true,
    cell: ({ times }) => durationText(times.p95_duration_ms),
  },
]

function rateCell(row: ReliabilityRow) {
  const { failed, requests } = failuresSince(row)
  return (
    <>
      {shareText(failed / Math.max(1, requests))}
      <Text span size="xs" c="dimmed">
        {" "}
        {t("{failed} of {requests, plural, one {# request} other {# requests}}", {
          failed: countText(failed),
          requests,
        })}
      </Text>
    </>
  )
}

interface FailingPanelProperties {
  /** All providers with requests in the last 24 hours. */
  readonly rows: readonly ReliabilityRow[]
}

/** Lists failing providers, with the most failures first. */
export function FailingPanel({ rows }: FailingPanelProperties) {
  const failing = rows
    .filter(({ state }) => state === "failing")
    .toSorted((left, right) => failuresSince(right).failed - failuresSince(left).failed)
  const others = rows.length - failing.length
  return (
    <Panel
      title={t("{count, plural, one {# provider} other {# providers}} failing", {
        count: failing.length,
      })}
      description={
        others === 0
          ? t("Most requests in the last hour failed.")
          : t(
              "Most requests in the last hour failed. {others, plural, one {# other provider works} other {# other providers work}}.",
              { others },
            )
      }
      actions={
        <TextLink to="/providers" size="sm">
          {t("All providers")}
        </TextLink>
      }
      isFlush
    >
      <DataTable
        label={t("Failing providers")}
        columns={COLUMNS}
        rows={failing}
        rowKey={({ group }) => group}
        minWidth={560}
      />
    </Panel>
  )
}
