import { Button, Group } from "@mantine/core"
import type { NoticeTarget } from "tollgate-contract/notices.ts"
import { joined } from "../../format/lists.ts"
import type { Column } from "../../ui/data-column.ts"
import { Money } from "../../ui/money.tsx"
import { When } from "../../ui/when.tsx"
import { channelWords, noticeWords } from "./notice-words.ts"
import { t } from "../../languages/text.ts"

export interface TargetColumnsOrder {
  /** Names of accounts by id; null if all targets belong to one account. */
  readonly names: ReadonlyMap<string, string> | null
  readonly onTest: (target: NoticeTarget) => Promise<void>
  readonly onRemove: (target: NoticeTarget) => void
}

export function targetColumns(order: TargetColumnsOrder): readonly Column<NoticeTarget>[] {
  const { names, onTest, onRemove } = order
  return [
    {
      id: "address",
      header: t("Address"),
      cell: ({ address }) => <span className="mono anywhere">{address}</span>,
    },
    { id: "channel", header: t("Channel"), cell: ({ channel }) => channelWords(channel) },
    ...(names === null
      ? []
      : [
          {
            id: "account",
            header: t("Account"),
            cell: ({ account }: NoticeTarget) =>
              account === null ? (
                <span className="dim">{t("all")}</span>
              ) : (
                (names.get(account) ?? account)
              ),
          },
        ]),
    {
      id: "types",
      header: t("Notices"),
      cell: ({ types }) =>
        types === null ? <span className="dim">{t("all")}</span> : joined(types.map(noticeWords)),
    },
    {
      id: "balance",
      header: t("Balance below"),
      isFigure: true,
      cell: ({ balance_below: below }) =>
        below === null ? (
          <span className="dim">{t("ignored")}</span>
        ) : (
          <Money value={below} hasUnit />
        ),
    },
    {
      id: "created",
      header: t("Added"),
      isWideOnly: true,
      cell: ({ created_at: createdAt }) => <When at={createdAt} />,
    },
    {
      id: "actions",
      header: t("Actions"),
      isAction: true,
      cell: (target) => <TargetActions target={target} onTest={onTest} onRemove={onRemove} />,
    },
  ]
}

interface TargetActionsProperties extends Omit<TargetColumnsOrder, "names"> {
  readonly target: NoticeTarget
}

function TargetActions({ target, onTest, onRemove }: TargetActionsProperties) {
  const { address } = target
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <Button
        size="compact-xs"
        variant="subtle"
        aria-label={t("Send a test to {address}", { address })}
        onClick={() => void onTest(target)}
      >
        {t("Send a test")}
      </Button>
      <Button
        size="compact-xs"
        variant="subtle"
        color="red"
        aria-label={t("Remove {address}", { address })}
        onClick={() => onRemove(target)}
      >
        {t("Remove")}
      </Button>
    </Group>
  )
}
