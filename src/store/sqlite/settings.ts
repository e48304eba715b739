import type { Database, Statement } from "bun:sqlite"
import { refusals } from "../refusals.ts"
import { checkReplaced, settingFromRow, type SettingRow } from "../setting-rows.ts"
import type { SettingChange, SettingsState } from "../settings.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Transactions } from "./transactions.ts"

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
    return { revision: this.revision(), records: rows.map(settingFromRow) }
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

  #checkReplaced(change: SettingChange): void {
    const row = this.#database
      .query<Pick<SettingRow, "revision">, [string, string]>(
        "SELECT revision FROM console_settings WHERE section = ? AND id = ?",
      )
      .get(change.section, change.id)
    checkReplaced(change, row)
    if (change.section === "price_group" && change.body === null) this.#checkUnused(change.id)
  }

  #checkUnused(group: string): void {
    const member = this.#database
      .query<unknown, [string]>(
        "SELECT 1 FROM accounts WHERE json_extract(limits, '$.priceGroup') = ? LIMIT 1",
      )
      .get(group)
    if (member !== null) throw refusals.groupHasMembers(group)
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
