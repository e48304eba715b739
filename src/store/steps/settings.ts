import { rejections } from "../rejections.ts"
import type { SettingChange, SettingRecord, SettingsState } from "../settings.ts"
import type { Store } from "../store.ts"
import { audited } from "./audit.ts"
import { RecordColumns } from "./record-columns.ts"
import { nextRevision, REVISIONS } from "./revisions.ts"
import { perEngine, sql } from "./sql.ts"
import {
  exists,
  row,
  rows,
  run,
  statements,
  type Step,
  type StepMethods,
  transaction,
} from "./step.ts"

const SETTING = new RecordColumns<SettingRecord>({
  section: "text",
  id: "text",
  body: "text",
  encrypted: "text",
  revision: "number",
  changedAt: "number",
})

const PRICE_GROUP = perEngine({
  sqlite: sql`json_extract(limits, '$.priceGroup')`,
  postgresql: sql`limits::json ->> 'priceGroup'`,
})

export const settingSteps: StepMethods<Store["settings"]> = {
  read: statements(read),
  change: transaction((changes, at, audit) => audited(audit, change(changes, at))),
}

/** Reads the revision and the settings in one statement, so that they are consistent. */
function* read(): Step<SettingsState> {
  const found = yield* rows<{ readonly current: bigint; readonly id: string | null }>(
    sql`SELECT revised.number AS current, ${SETTING.selected}
      FROM (${REVISIONS.settings}) AS revised LEFT JOIN console_settings ON true ORDER BY section, id`,
  )
  const records = found.filter(({ id }) => id !== null).map((row) => SETTING.read(row))
  return { revision: Number(found[0]?.current ?? 0n), records }
}

/** Makes changes. The revision is locked first, so that changes are serialized. */
function* change(changes: readonly SettingChange[], at: number): Step<SettingsState> {
  const revision = yield* nextRevision("settings")
  for (const setting of changes) yield* requireUnchanged(setting)
  for (const { section, id, body, encrypted } of changes) {
    if (body === null) {
      yield* run(sql`DELETE FROM console_settings WHERE section = ${section} AND id = ${id}`)
      continue
    }
    yield* run(
      sql`INSERT INTO console_settings (section, id, body, encrypted, revision, changed_at)
        VALUES (${section}, ${id}, ${body}, ${encrypted}, ${revision}, ${at})
        ON CONFLICT (section, id) DO UPDATE SET body = excluded.body, encrypted = excluded.encrypted,
          revision = excluded.revision, changed_at = excluded.changed_at`,
    )
  }
  return yield* read()
}

/**
 * Requires the expected state.
 * @throws StoreError `conflict` if the change was made for a different state, or removes a price group that is in use.
 */
function* requireUnchanged({ section, id, body, replaces }: SettingChange): Step<void> {
  const found = yield* row<{ readonly revision: bigint }>(
    sql`SELECT revision FROM console_settings WHERE section = ${section} AND id = ${id}`,
  )
  const revision = found === null ? null : Number(found.revision)
  if (revision !== replaces) throw rejections.settingWasChanged(section, id)
  if (section !== "price_group" || body !== null) return
  const members = sql`SELECT id FROM accounts WHERE ${PRICE_GROUP} = ${id} LIMIT 1`
  if (yield* exists(members)) throw rejections.groupHasMembers(id)
}
