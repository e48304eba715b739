import { refusals } from "./refusals.ts"
import type { SettingChange, SettingRecord, SettingSection } from "./settings.ts"

/** Something that the console has set, as a database keeps it. */
export interface SettingRow {
  readonly section: SettingSection
  readonly id: string
  readonly body: string
  readonly sealed: string | null
  readonly revision: bigint
  readonly changed_at: bigint
}

/** What the console has set, as a database keeps it, read back. */
export function settingFromRow(row: SettingRow): SettingRecord {
  return {
    section: row.section,
    id: row.id,
    body: row.body,
    sealed: row.sealed,
    revision: Number(row.revision),
    changedAt: Number(row.changed_at),
  }
}

/** @param row what is there now. @throws StoreError `conflict`: it is not what the change was made for. */
export function checkReplaced(
  { section, id, replaces }: SettingChange,
  row: Pick<SettingRow, "revision"> | null,
): void {
  const there = row === null ? null : Number(row.revision)
  if (there !== replaces) throw refusals.settingWasChanged(section, id)
}
