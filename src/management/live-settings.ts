import type { ConsoleSection } from "../config/console-entry.ts"
import {
  type BaseSettings,
  type ConsoleReading,
  type ConsoleRecord,
  type KnownRecord,
  mergeConsole,
  placeOf,
  type RawEntry,
  readConsole,
  encryptEntry,
} from "../config/console-settings.ts"
import { settingsChanges } from "../config/changes.ts"
import { withSandbox } from "../config/sandbox.ts"
import type { SecretCipher } from "../config/secret-cipher.ts"
import type { Settings } from "../config/settings.ts"
import type { KnownVendor } from "../config/vendors.ts"
import type { SettingChange, SettingRecord, SettingsState } from "../store/settings.ts"
import type { Store } from "../store/store.ts"

export interface LiveSettingsParts {
  readonly store: Store
  readonly seal: SecretCipher
  readonly vendors: readonly KnownVendor[]
  /** What the file and the environment say. */
  readonly base: BaseSettings
  /** Where the simulator is, when it plays the vendor. */
  readonly sandboxUrl: string | undefined
  /** Puts settings into force. */
  readonly apply: (settings: Settings) => void
  /** The console has changed what is active: the names of what differs. */
  readonly onConsoleChange: (changed: readonly string[]) => void
  readonly warn: (message: string) => void
}

/** What is to become of one entry; null takes it away. */
export interface EntryChange {
  readonly section: ConsoleSection
  readonly id: string
  /** Of the shape that `tollgate.yaml` has, with its secrets. */
  readonly entry: unknown
}

/**
 * The settings active: what the file and the environment say, under it what the console has set, and
 * the simulator. Both can change at any time, each by itself.
 */
export class LiveSettings {
  readonly #parts: LiveSettingsParts
  readonly #known = new Map<string, KnownRecord>()
  #base: BaseSettings
  #state: SettingsState
  #reading: ConsoleReading
  #effective: Settings

  private constructor(parts: LiveSettingsParts, state: SettingsState) {
    this.#parts = parts
    this.#base = parts.base
    this.#state = state
    this.#reading = this.#read(state.records)
    this.#effective = this.#compose(this.#base, this.#reading)
    this.#warn()
  }

  /** Reads what the console has set. Nothing of it can keep the gateway from starting. */
  static async open(parts: LiveSettingsParts): Promise<LiveSettings> {
    return new LiveSettings(parts, await parts.store.settings.read())
  }

  /** What is active. */
  get effective(): Settings {
    return this.#effective
  }

  /** What the file and the environment say. */
  get base(): BaseSettings {
    return this.#base
  }

  /** What the console has set, understood. */
  get reading(): ConsoleReading {
    return this.#reading
  }

  /** What the console has set, as it is kept. */
  get records(): readonly SettingRecord[] {
    return this.#state.records
  }

  record(section: ConsoleSection, id: string): SettingRecord | undefined {
    return this.records.find((record) => record.section === section && record.id === id)
  }

  /** An entry of the console as it was put, secrets included; undefined where there is none, or it is unreadable. */
  entry(section: ConsoleSection, id: string): RawEntry | undefined {
    return this.#reading.entries.get(placeOf(section, id))
  }

  /** The file or the environment says something else now. */
  rebase(base: BaseSettings): void {
    this.#takeOver(base, this.#reading)
    this.#base = base
  }

  /** Looks for what the console has changed, here or in another process. */
  async refresh(revision?: number): Promise<void> {
    if (revision !== undefined && revision <= this.#state.revision) return
    this.taken(await this.#parts.store.settings.read())
  }

  /** The settings as they would be after some changes. */
  preview(changes: readonly SettingChange[]): Settings {
    const places = new Set(changes.map(({ section, id }) => placeOf(section, id)))
    const kept: ConsoleRecord[] = this.records.filter(
      ({ section, id }) => !places.has(placeOf(section, id)),
    )
    const fresh = changes.flatMap(({ body, ...change }) =>
      body === null ? [] : { ...change, body },
    )
    return this.#compose(this.#base, this.#read([...kept, ...fresh]))
  }

  /** Changes as the store takes them: sealed, and for what is there now. */
  prepare(changes: readonly EntryChange[]): SettingChange[] {
    return changes.map(({ section, id, entry }) => {
      const replaces = this.record(section, id)?.revision ?? null
      if (entry === null) return { section, id, body: null, sealed: null, replaces }
      return { section, id, replaces, ...encryptEntry(section, id, entry, this.#parts.seal) }
    })
  }

  #read(records: readonly ConsoleRecord[]): ConsoleReading {
    return readConsole(records, { ...this.#parts, known: this.#known })
  }

  /** Puts what a change has made of the settings into force, so that whoever made it finds it done. */
  taken(state: SettingsState): void {
    // Two looks may overtake each other.
    if (state.revision <= this.#state.revision) return
    const reading = this.#read(state.records)
    const places = new Set(state.records.map(({ section, id }) => placeOf(section, id)))
    for (const place of this.#known.keys()) if (!places.has(place)) this.#known.delete(place)
    this.#state = state
    this.#reading = reading
    const before = this.#effective
    this.#takeOver(this.#base, reading)
    const { changed } = settingsChanges(before, before, this.#effective)
    if (changed.length > 0) this.#parts.onConsoleChange(changed)
    this.#warn()
  }

  #takeOver(base: BaseSettings, reading: ConsoleReading): void {
    const next = this.#compose(base, reading)
    this.#parts.apply(next)
    this.#effective = next
  }

  #compose(base: BaseSettings, reading: ConsoleReading): Settings {
    const merged = mergeConsole(base, reading)
    const { sandboxUrl } = this.#parts
    return sandboxUrl === undefined ? merged : withSandbox(merged, sandboxUrl)
  }

  #warn(): void {
    for (const [place, fault] of this.#reading.faults) {
      this.#parts.warn(`set in the console, not used: ${place}: ${fault}`)
    }
  }
}
