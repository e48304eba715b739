import type {
  DueDelivery,
  NewNotice,
  NoticeChannel,
  NoticeDelivery,
  NoticeRecord,
  NoticeTarget,
} from "../notices.ts"

/** Rows of notices in the form in which both engines read them, and their conversions. */

export interface TargetRow {
  readonly id: string
  readonly account: string | null
  readonly channel: NoticeChannel
  readonly hint: string
  readonly encrypted: string
  readonly types: string | null
  readonly balance_below: bigint | null
  readonly created_at: bigint
}

export interface NoticeRow {
  readonly number: bigint
  readonly id: string
  readonly account: string | null
  readonly type: string
  readonly at: bigint
  readonly data: string
}

export interface DeliveryRow {
  readonly notice: string
  readonly target: string
  readonly state: NoticeDelivery["state"]
  readonly attempts: bigint
  readonly at: bigint
  readonly error: string | null
}

/** A row of a claimed delivery. */
export type TakenRow = Pick<DeliveryRow, "notice" | "target" | "attempts">

export function targetFromRow(row: TargetRow): NoticeTarget {
  const { types, balance_below, created_at, ...rest } = row
  return {
    ...rest,
    types: types === null ? null : (JSON.parse(types) as string[]),
    balanceBelow: balance_below,
    createdAt: Number(created_at),
  }
}

export function noticesFromRows(
  rows: readonly NoticeRow[],
  deliveries: readonly DeliveryRow[],
): NoticeRecord[] {
  const byNotice = Map.groupBy(deliveries, ({ notice }) => notice)
  return rows.map((row) => ({
    ...noticeFromRow(row),
    number: Number(row.number),
    deliveries: (byNotice.get(row.id) ?? []).map(({ target, state, attempts, at, error }) => ({
      target,
      state,
      attempts: Number(attempts),
      at: Number(at),
      error,
    })),
  }))
}

export function dueFromRows(
  taken: readonly TakenRow[],
  notices: readonly NoticeRow[],
  targets: readonly TargetRow[],
): DueDelivery[] {
  const noticeOf = new Map(notices.map((row) => [row.id, row]))
  const targetOf = new Map(targets.map((row) => [row.id, row]))
  return taken.flatMap(({ notice, target, attempts }) => {
    const [noticeRow, targetRow] = [noticeOf.get(notice), targetOf.get(target)]
    if (!noticeRow || !targetRow) return []
    return [
      {
        notice: noticeFromRow(noticeRow),
        target: targetFromRow(targetRow),
        attempts: Number(attempts),
      },
    ]
  })
}

function noticeFromRow({ id, account, type, at, data }: NoticeRow): Omit<NewNotice, "target"> {
  return { id, account, type, at: Number(at), data }
}
