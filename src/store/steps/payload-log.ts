import type { ContentRecord, PayloadLog } from "../payload-log.ts"
import { SKIP_LOCKED, sql } from "./sql.ts"
import { row, run, statements, type Step, type StepMethods } from "./step.ts"

/** Maximum records that one statement deletes. */
const SLICE = 500

export const payloadLogSteps: StepMethods<PayloadLog> = {
  keep: statements(keep),
  find: statements(find),
  sweep: statements(sweep),
}

function* keep({ request, account, at, asked, answered }: ContentRecord): Step<void> {
  yield* run(
    sql`INSERT INTO contents (request, account, at, asked, answered)
      VALUES (${request}, ${account}, ${at}, ${asked}, ${answered})
      ON CONFLICT (request) DO UPDATE SET account = excluded.account, at = excluded.at, asked = excluded.asked,
        answered = excluded.answered`,
  )
}

function* find(request: string): Step<ContentRecord | null> {
  const found = yield* row<Omit<ContentRecord, "at"> & { readonly at: bigint }>(
    sql`SELECT request, account, at, asked, answered FROM contents WHERE request = ${request}`,
  )
  return found && { ...found, at: Number(found.at) }
}

function* sweep(before: number): Step<void> {
  const old = sql`SELECT request FROM contents WHERE at < ${before} ORDER BY at LIMIT ${SLICE} ${SKIP_LOCKED}`
  while ((yield* run(sql`DELETE FROM contents WHERE request IN (${old})`)) > 0);
}
