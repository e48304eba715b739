import { ANSWERS_OF_SLICE, answerFromRow, type AnswerRow, slicesOf } from "../answer-samples.ts"
import type { AnswerSample, Latencies, UsageFilter } from "../requests.ts"
import { type DurationRow, latenciesOf, LATENCY_SAMPLE } from "../usage-sums.ts"
import { bigints } from "./arrays.ts"
import type { Statements } from "./client.ts"
import { Conditions, namesNothing } from "./conditions.ts"
import { LABELLED_AT, labelledReceipts } from "./label-conditions.ts"
import { ofAccounts } from "./receipts-of-accounts.ts"
import { addNames } from "./requests-usage.ts"

const COLUMNS =
  "at, model, key, coalesce(provider, '') AS provider, account, endpoint, outcome, duration, first_byte, output"

/** Answers that stand for all of a time: some of each of its slices. */
export async function sampleAnswers(
  statements: Statements,
  filter: UsageFilter,
): Promise<AnswerSample> {
  if (namesNothing(filter) || filter.labels?.some(namesNothing)) {
    return { answers: [], isComplete: true }
  }
  const slices = slicesOf(filter)
  const conditions = new Conditions()
  const begins = conditions.place(bigints(slices.map(({ from }) => BigInt(from))))
  const ends = conditions.place(bigints(slices.map(({ to }) => BigInt(to))))
  const labelled = labelledReceipts(conditions, filter.labels)
  const at = labelled === undefined ? "at" : LABELLED_AT
  addNames(conditions, filter)
  conditions.always(
    `status = 'settled' AND duration IS NOT NULL AND ${at} >= slice.begins AND ${at} < slice.ends`,
  )
  const rows = await statements.rows<AnswerRow & { readonly place: bigint }>(
    `SELECT slice.place, answer.*
     FROM unnest(${begins}::bigint[], ${ends}::bigint[]) WITH ORDINALITY AS slice (begins, ends, place)
     CROSS JOIN LATERAL (
       SELECT ${COLUMNS} FROM ${labelled ?? "receipts"} ${conditions.where} LIMIT ${ANSWERS_OF_SLICE}
     ) AS answer`,
    conditions.values,
  )
  const counts = new Map<bigint, number>()
  for (const { place } of rows) counts.set(place, (counts.get(place) ?? 0) + 1)
  return {
    answers: rows.map(answerFromRow),
    isComplete: [...counts.values()].every((count) => count < ANSWERS_OF_SLICE),
  }
}

/** Of the last answers since a moment. */
export async function latencies(
  statements: Statements,
  accounts: readonly string[] | undefined,
  from: number,
): Promise<Latencies> {
  const conditions = new Conditions()
  conditions.add("at >= ?", from)
  conditions.always("status = 'settled' AND duration IS NOT NULL")
  const found = ofAccounts(conditions, accounts, {
    columns: "at, duration",
    end: `ORDER BY at DESC LIMIT ${LATENCY_SAMPLE}`,
  })
  return latenciesOf(await statements.rows<DurationRow>(found, conditions.values))
}
