import { Button, Group } from "@mantine/core"
import type { NoticeTarget } from "tollgate-contract/notices.ts"
import type { Column } from "../../ui/data-column.ts"
import { Money } from "../../ui/money.tsx"
import { When } from "../../ui/when.tsx"
import { channelWords, noticeWords } from "./notice-words.ts"

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
      header: "Address",
      cell: ({ address }) => <span className="mono anywhere">{address}</span>,
    },
    { id: "channel", header: "Channel", cell: ({ channel }) => channelWords(channel) },
    ...(names === null
      ? []
      : [
          {
            id: "account",
            header: "Account",
            cell: ({ account }: NoticeTarget) =>
              account === null ? <span className="dim">all</span> : (names.get(account) ?? account),
          },
        ]),
    {
      id: "types",
      header: "Notices",
      cell: ({ types }) => types?.map(noticeWords).join(", ") ?? <span className="dim">all</span>,
    },
    {
      id: "balance",
      header: "Balance below",
      isFigure: true,
      cell: ({ balance_below: below }) =>
        below === null ? <span className="dim">ignored</span> : <Money value={below} hasUnit />,
    },
    {
      id: "created",
      header: "Added",
      isWideOnly: true,
      cell: ({ created_at: createdAt }) => <When at={createdAt} />,
    },
    {
      id: "actions",
      header: "Actions",
      isAction: true,
      cell: (target) => (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`Send a test to ${target.address}`}
            onClick={() => void onTest(target)}
          >
            Send a test
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            aria-label={`Remove ${target.address}`}
            onClick={() => onRemove(target)}
          >
            Remove
          </Button>
        </Group>
      ),
    },
  ]
}
