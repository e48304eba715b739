import type { Database } from "bun:sqlite"
import { ANSWERS_OF_SLICE, answerFromRow, type AnswerRow, slicesOf } from "../answer-samples.ts"
import type { AnswerSample, Latencies, UsageFilter } from "../requests.ts"
import { type DurationRow, latenciesOf, LATENCY_SAMPLE } from "../usage-sums.ts"
import { Conditions } from "./conditions.ts"
import { LABELLED_AT, labelledRequests } from "./label-conditions.ts"

const COLUMNS =
  "at, model, key, coalesce(provider, '') AS provider, account, endpoint, outcome, duration, first_byte, output"

/** Answers that stand for all of a time: some of each of its slices. */
export function sampleAnswers(index: Database, filter: UsageFilter): AnswerSample {
  const conditions = new Conditions()
  const labelled = labelledRequests(conditions, filter.labels)
  conditions.among("account", filter.accounts)
  conditions.add("key = ?", filter.key)
  conditions.add("model = ?", filter.model)
  conditions.add("provider = ?", filter.provider)
  conditions.add("endpoint = ?", filter.endpoint)
  conditions.add("outcome = ?", filter.outcome)
  const at = labelled === undefined ? "at" : LABELLED_AT
  conditions.always(`status = 'settled' AND duration IS NOT NULL AND ${at} >= ? AND ${at} < ?`)
  const query = index.query<AnswerRow, (string | bigint)[]>(
    `SELECT ${COLUMNS} FROM ${labelled ?? `requests ${orderOf(filter)}`} ${conditions.where} LIMIT ${ANSWERS_OF_SLICE}`,
  )
  const slices = slicesOf(filter).map(({ from, to }) =>
    query.all(...conditions.values, BigInt(from), BigInt(to)),
  )
  return {
    answers: slices.flat().map(answerFromRow),
    isComplete: slices.every(({ length }) => length < ANSWERS_OF_SLICE),
  }
}

/** The index with the fewest rows to look at for a slice. */
function orderOf({ accounts, key, model }: UsageFilter): string {
  if (key !== undefined) return "INDEXED BY requests_by_key"
  if (accounts?.length === 1) {
    return `INDEXED BY requests_by_account${model === undefined ? "" : "_and_model"}`
  }
  return `INDEXED BY requests_by_${model === undefined ? "time" : "model"}`
}

/** Of the last answers since a moment. */
export function latencies(
  index: Database,
  accounts: readonly string[] | undefined,
  from: number,
): Latencies {
  const durations = (accounts ?? [undefined]).flatMap((account) => {
    const conditions = new Conditions()
    conditions.add("account = ?", account)
    conditions.add("at >= ?", from)
    conditions.always("status = 'settled' AND duration IS NOT NULL")
    const input = account === undefined ? "requests_by_time" : "requests_by_account"
    return index
      .query<DurationRow, (string | bigint)[]>(
        `SELECT at, duration FROM requests INDEXED BY ${input} ${conditions.where}
        ORDER BY at DESC LIMIT ${LATENCY_SAMPLE}`,
      )
      .all(...conditions.values)
  })
  return latenciesOf(durations)
}
