import { Box, Group, Text } from "@mantine/core"
import type { Notice, NoticeTarget } from "tollgate-contract/notices.ts"
import { usePages } from "../../api/use-pages.ts"
import type { Column } from "../../ui/data-column.ts"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { Panel } from "../../ui/panel.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import { noticeWords } from "./notice-words.ts"
import { rich, t } from "../../languages/text.ts"

const POLL_INTERVAL_MS = 5_000

export interface SentNoticesProperties {
  readonly account: string | undefined
  /** Names of accounts by id; null if all notices belong to one account. */
  readonly names: ReadonlyMap<string, string> | null
  readonly targets: readonly NoticeTarget[]
}

/** Shows the notices of the last 90 days, and whether they were delivered. */
export function SentNotices({ account, names, targets }: SentNoticesProperties) {
  const notices = usePages(
    "GET /notices",
    { query: { account } },
    { refetchInterval: POLL_INTERVAL_MS },
  )
  return (
    <Panel isFlush title={t("Sent")} description={t("The last 90 days.")}>
      <ErrorNotice error={notices.error} retry={notices.retry} />
      {notices.hasContent && (
        <DataTable
          label={t("Sent notices")}
          columns={noticeColumns(names, targets)}
          rows={notices.items}
          rowKey={(notice) => notice.id}
          isLoading={notices.isLoading}
          minWidth={780}
          empty={
            <EmptyState title={t("No notices yet")}>
              {t("Notices are listed here, with whether they arrived.")}
            </EmptyState>
          }
        />
      )}
      <MoreButton pages={notices} />
    </Panel>
  )
}

function noticeColumns(
  names: SentNoticesProperties["names"],
  targets: readonly NoticeTarget[],
): readonly Column<Notice>[] {
  const addresses = new Map(targets.map(({ id, address }) => [id, address]))
  return [
    {
      id: "notice",
      header: t("Notice"),
      cell: ({ type, title }) => (
        <Box>
          {noticeWords(type)}
          <Text size="xs" c="dimmed" fw={400} className="anywhere">
            {title}
          </Text>
        </Box>
      ),
    },
    ...(names === null
      ? []
      : [
          {
            id: "account",
            header: t("Account"),
            cell: ({ account }: Notice) =>
              account === null ? (
                <span className="dim">{t("all")}</span>
              ) : (
                (names.get(account) ?? account)
              ),
          },
        ]),
    { id: "created", header: t("When"), cell: ({ created_at: at }) => <When at={at} /> },
    {
      id: "deliveries",
      header: t("Delivery"),
      cell: ({ deliveries }) =>
        deliveries.length === 0 ? (
          <span className="dim">{t("no target for it")}</span>
        ) : (
          deliveries.map((delivery) => (
            <Delivery
              key={delivery.target}
              delivery={delivery}
              address={addresses.get(delivery.target)}
            />
          ))
        ),
    },
  ]
}

interface DeliveryProperties {
  readonly delivery: Notice["deliveries"][number]
  /** The target's address; undefined if the target was removed. */
  readonly address: string | undefined
}

function Delivery({ delivery, address = t("a target that was removed") }: DeliveryProperties) {
  const { state, attempts, at, error } = delivery
  return (
    <Box mb={4}>
      <Group gap={6} wrap="nowrap">
        <Status value={state} />
        <span className="anywhere">{address}</span>
      </Group>
      {error !== null && (
        <Text size="xs" c="dimmed" className="anywhere">
          {state === "pending"
            ? rich(
                "{error} ({attempts, plural, one {# attempt} other {# attempts}}, next {when})",
                {
                  error,
                  attempts,
                  when: <When at={at} />,
                },
              )
            : t("{error} ({attempts, plural, one {# attempt} other {# attempts}})", {
                error,
                attempts,
              })}
        </Text>
      )}
    </Box>
  )
}
