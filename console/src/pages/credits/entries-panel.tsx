import { Select, Text, TextInput } from "@mantine/core"
import { IconReceipt } from "../../ui/icons.tsx"
import { getRouteApi } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { Entry } from "tollgate-contract/accounts.ts"
import { usePages } from "../../api/use-pages.ts"
import type { Column } from "../../ui/data-column.ts"
import { paidText } from "../../format/paid.ts"
import { dayEnd, dayStart } from "../../format/days.ts"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { Money } from "../../ui/money.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { Panel } from "../../ui/panel.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import { known, t } from "../../languages/text.ts"

const route = getRouteApi("/signed-in/credits")
const POLL_INTERVAL_MS = 10_000

const KINDS: readonly { value: Entry["kind"]; label: string }[] = [
  { value: "grant", label: t("Grants") },
  { value: "charge", label: t("Charges") },
  { value: "adjustment", label: t("Adjustments") },
  { value: "refund", label: t("Refunds") },
  { value: "code", label: t("Redeemed codes") },
  { value: "payment", label: t("Card payments") },
  { value: "reversal", label: t("Reversed card payments") },
  { value: "debt", label: t("Debts paid") },
]

const DAYS = [
  ["from", t("First day (UTC)")],
  ["to", t("Last day (UTC)")],
] as const

const COLUMNS: readonly Column<Entry>[] = [
  {
    id: "number",
    header: t("No."),
    cell: (entry) => <span className="figures">{entry.number}</span>,
  },
  { id: "at", header: t("When"), cell: (entry) => <When at={entry.at} isExact /> },
  {
    id: "kind",
    header: t("Kind"),
    isSecondary: true,
    cell: (entry) => <Status value={entry.kind} color="gray" />,
  },
  { id: "what", header: t("Reason"), cell: whatFor },
  {
    id: "amount",
    header: t("Amount"),
    isFigure: true,
    cell: (entry) => <Money value={entry.amount} isSigned />,
  },
  {
    id: "balance",
    header: t("Balance"),
    isSecondary: true,
    isFigure: true,
    cell: (entry) => <Money value={entry.balance} />,
  },
]

/** The account's ledger, newest entry first. */
export function EntriesPanel({ account }: { readonly account: string }) {
  const search = route.useSearch()
  const kind = kindOf(search.kind)
  const pages = usePages(
    "GET /accounts/{id}/entries",
    {
      path: { id: account },
      query: { kind, from: dayStart(search.from), to: dayEnd(search.to) },
    },
    { refetchInterval: POLL_INTERVAL_MS },
  )
  const isFiltered = [search.kind, search.from, search.to].some((text) => text !== undefined)

  return (
    <Panel
      title={t("Entries")}
      description={t("Entries are never edited. A correction is a new entry.")}
      isFlush
      actions={<EntryFilters />}
    >
      <ErrorNotice
        error={pages.error}
        title={t("The entries could not be loaded")}
        retry={pages.retry}
      />
      {pages.hasContent && (
        <DataTable
          label={t("Entries")}
          columns={COLUMNS}
          rows={pages.items}
          rowKey={(entry) => entry.number}
          isLoading={pages.isLoading}
          minWidth={760}
          empty={
            <EmptyState icon={<IconReceipt size={22} />} title={t("No entries")}>
              {isFiltered
                ? t("Choose another type or other days.")
                : t("Added credits and charged requests are listed here.")}
            </EmptyState>
          }
        />
      )}
      <MoreButton pages={pages} />
    </Panel>
  )
}

function kindOf(name: string | undefined): Entry["kind"] | undefined {
  return KINDS.find(({ value }) => value === name)?.value
}

/** Filters the entries by type and date. */
function EntryFilters() {
  const search = route.useSearch()
  const navigate = route.useNavigate()

  function change(part: Partial<typeof search>) {
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true })
  }

  return (
    <>
      <Select
        aria-label={t("Entry type")}
        placeholder={t("All types")}
        size="xs"
        clearable
        data={[...KINDS]}
        value={kindOf(search.kind) ?? null}
        onChange={(value) => change({ kind: kindOf(value ?? undefined) })}
      />
      {DAYS.map(([name, label]) => (
        <TextInput
          key={name}
          type="date"
          size="xs"
          aria-label={label}
          title={label}
          value={search[name] ?? ""}
          onChange={(event) => change({ [name]: event.currentTarget.value || undefined })}
        />
      ))}
    </>
  )
}

function whatFor(entry: Entry): ReactNode {
  return (
    <>
      {entry.request !== null && (
        <TextLink
          to="/requests/$request"
          params={{ request: entry.request }}
          size="sm"
          className="mono anywhere"
        >
          {entry.request}
        </TextLink>
      )}
      {entry.note !== null && (
        <Text size="sm" className="anywhere">
          {entry.note}
        </Text>
      )}
      {entry.paid !== null && (
        <Text size="sm">{t("Paid {paid}", { paid: paidText(entry.paid) })}</Text>
      )}
      {entry.author !== null && (
        <Text size="xs" c="dimmed" className="anywhere">
          {t("by {author}", { author: known(entry.author) })}
        </Text>
      )}
    </>
  )
}
