import type { ContentRecord, PayloadLog } from "../payload-log.ts"
import { RecordColumns } from "./record-columns.ts"
import { SKIP_LOCKED, sql } from "./sql.ts"
import { run, statements, type Step, type StepMethods } from "./step.ts"

const CONTENT = new RecordColumns<ContentRecord>({
  request: "text",
  account: "text",
  at: "number",
  asked: "text",
  answered: "text",
})
/** Maximum records that one statement deletes. */
const SLICE = 500

export const payloadLogSteps: StepMethods<PayloadLog> = {
  keep: statements(keep),
  find: statements(find),
  sweep: statements(sweep),
}

function* keep(content: ContentRecord): Step<void> {
  yield* run(
    sql`INSERT INTO contents (${CONTENT.names}) VALUES (${CONTENT.values(content)})
      ON CONFLICT (request) DO UPDATE SET account = excluded.account, at = excluded.at, asked = excluded.asked,
        answered = excluded.answered`,
  )
}

function find(request: string): Step<ContentRecord | null> {
  return CONTENT.row(sql`SELECT ${CONTENT.selected} FROM contents WHERE request = ${request}`)
}

function* sweep(before: number): Step<void> {
  const old = sql`SELECT request FROM contents WHERE at < ${before} ORDER BY at LIMIT ${SLICE} ${SKIP_LOCKED}`
  while ((yield* run(sql`DELETE FROM contents WHERE request IN (${old})`)) > 0);
}
