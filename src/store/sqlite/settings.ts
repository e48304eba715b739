import type { Database, Statement } from "bun:sqlite"
import type { SettingChange, SettingRecord, SettingSection, SettingsState } from "../settings.ts"
import { StoreError } from "../store-error.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Transactions } from "./transactions.ts"

interface SettingRow {
  section: SettingSection
  id: string
  body: string
  sealed: string | null
  revision: bigint
  changed_at: bigint
}

/** What the console has set. Methods that write expect to run inside a transaction. */
export class ConsoleSettings {
  readonly #database: Database
  readonly #revision: Statement<{ number: bigint }, []>

  constructor(database: Database) {
    this.#database = database
    this.#revision = database.prepare("SELECT number FROM settings_revision")
  }

  /** Grows with every change, so that other processes notice it. */
  revision(): number {
    return Number(this.#revision.get()?.number ?? 0n)
  }

  state(): SettingsState {
    const rows = this.#database
      .query<SettingRow, []>("SELECT * FROM console_settings ORDER BY section, id")
      .all()
    return { revision: this.revision(), records: rows.map(fromRow) }
  }

  /** @throws StoreError `conflict`: one of them is not what the change was made for. */
  change(changes: readonly SettingChange[], at: number): SettingsState {
    for (const change of changes) this.#checkReplaced(change)
    this.#database.run("UPDATE settings_revision SET number = number + 1")
    const revision = BigInt(this.revision())
    for (const { section, id, body, sealed } of changes) {
      if (body === null) {
        this.#database.run("DELETE FROM console_settings WHERE section = ? AND id = ?", [
          section,
          id,
        ])
        continue
      }
      this.#database.run("INSERT OR REPLACE INTO console_settings VALUES (?, ?, ?, ?, ?, ?)", [
        section,
        id,
        body,
        sealed,
        revision,
        BigInt(at),
      ])
    }
    return this.state()
  }

  #checkReplaced({ section, id, replaces }: SettingChange): void {
    const row = this.#database
      .query<{ revision: bigint }, [string, string]>(
        "SELECT revision FROM console_settings WHERE section = ? AND id = ?",
      )
      .get(section, id)
    const there = row === null ? null : Number(row.revision)
    if (there === replaces) return
    throw new StoreError("conflict", `someone else has just changed ${section} '${id}'`)
  }
}

function fromRow(row: SettingRow): SettingRecord {
  return {
    section: row.section,
    id: row.id,
    body: row.body,
    sealed: row.sealed,
    revision: Number(row.revision),
    changedAt: Number(row.changed_at),
  }
}

interface SettingParts {
  readonly transactions: Transactions
  readonly settings: ConsoleSettings
}

export function settingMethods(parts: SettingParts): DirectStore["settings"] {
  const { transactions, settings } = parts
  return {
    read: () => transactions.consistently(() => settings.state()),
    change: (changes, at, audit) => transactions.audited(audit, () => settings.change(changes, at)),
  }
}
