import { refusals } from "../refusals.ts"
import { checkReplaced, settingFromRow, type SettingRow } from "../setting-rows.ts"
import type { SettingChange, SettingRecord, SettingsState } from "../settings.ts"
import type { Store } from "../store.ts"
import type { Statements } from "./client.ts"
import { nextRevision } from "./revisions.ts"
import type { StoreParts } from "./store-parts.ts"

type StateRow = { readonly current: bigint } & (SettingRow | { readonly id: null })

export function settingMethods({ client, audited }: StoreParts): Store["settings"] {
  return {
    read: () => read(client),
    change: (changes, at, audit) =>
      audited(audit, (transaction) => change(transaction, changes, at)),
  }
}

/** One statement, which sees the revision and the settings at one moment. */
async function read(statements: Statements): Promise<SettingsState> {
  const rows = await statements.rows<StateRow>(
    `SELECT number AS current, section, id, body, sealed, revision, changed_at
     FROM revisions LEFT JOIN console_settings ON true WHERE name = 'settings' ORDER BY section, id`,
  )
  const records: SettingRecord[] = []
  for (const row of rows) if (row.id !== null) records.push(settingFromRow(row))
  return { revision: Number(rows[0]?.current ?? 0n), records }
}

async function checkUnused(transaction: Statements, group: string): Promise<void> {
  const member = await transaction.row(
    "SELECT 1 AS one FROM accounts WHERE limits::json ->> 'priceGroup' = $1 LIMIT 1",
    [group],
  )
  if (member) throw refusals.groupHasMembers(group)
}

/** The lock on the revision, which is taken first, lets one change in after another. */
async function change(
  transaction: Statements,
  changes: readonly SettingChange[],
  at: number,
): Promise<SettingsState> {
  const revision = await nextRevision(transaction, "settings")
  for (const setting of changes) {
    const { section, id } = setting
    const there = await transaction.row<Pick<SettingRow, "revision">>(
      "SELECT revision FROM console_settings WHERE section = $1 AND id = $2",
      [section, id],
    )
    checkReplaced(setting, there)
    if (section === "price_group" && setting.body === null) await checkUnused(transaction, id)
  }
  for (const { section, id, body, sealed } of changes) {
    if (body === null) {
      await transaction.run("DELETE FROM console_settings WHERE section = $1 AND id = $2", [
        section,
        id,
      ])
      continue
    }
    await transaction.run(
      `INSERT INTO console_settings (section, id, body, sealed, revision, changed_at)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (section, id) DO UPDATE
       SET body = excluded.body, sealed = excluded.sealed, revision = excluded.revision, changed_at = excluded.changed_at`,
      [section, id, body, sealed, revision, BigInt(at)],
    )
  }
  return read(transaction)
}
