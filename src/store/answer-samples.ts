import type { AnswerTimes } from "./requests.ts"

/** A time is cut into so many slices, and of each so many answers are read: together they stand for all. */
const SLICES = 200
export const ANSWERS_OF_SLICE = 100

/** An answer of a sample, as databases have it. */
export interface AnswerRow {
  readonly at: bigint
  readonly model: string
  readonly key: string
  readonly provider: string
  readonly account: string
  readonly endpoint: string
  readonly outcome: string
  readonly duration: bigint
  readonly first_byte: bigint | null
  readonly output: bigint
}

interface Span {
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

/** Cuts a time into slices of the same length. */
export function slicesOf({ from, to }: Span): Span[] {
  const step = Math.max(1, Math.ceil((to - from) / SLICES))
  const slices: Span[] = []
  for (let at = from; at < to; at += step) slices.push({ from: at, to: Math.min(to, at + step) })
  return slices
}

export function answerFromRow({ first_byte: firstByte, ...row }: AnswerRow): AnswerTimes {
  return {
    at: Number(row.at),
    model: row.model,
    key: row.key,
    provider: row.provider,
    account: row.account,
    endpoint: row.endpoint,
    outcome: row.outcome,
    duration: Number(row.duration),
    firstByte: firstByte === null ? null : Number(firstByte),
    output: Number(row.output),
  }
}
