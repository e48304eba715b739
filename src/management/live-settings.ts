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
import type { Facts } from "../catalog/facts.ts"
import type { SettingChange, SettingsState } from "../store/settings.ts"
import type { Store } from "../store/store.ts"
import {
  consoleRecords,
  type ConsoleSettingRecord,
  type PriceLists,
  readLists,
} from "./prices/stored-lists.ts"

/** The settings and known prices for serving requests. */
export interface ActiveSettings {
  readonly settings: Settings
  /** The active list of known prices. */
  readonly facts: Facts
  /** Warnings about the file and the environment. */
  readonly warnings: readonly string[]
}

export interface LiveSettingsParts {
  readonly store: Store
  readonly cipher: SecretCipher
  readonly vendors: readonly KnownVendor[]
  /** The settings of the file and the environment. */
  readonly base: BaseSettings
  /** The address of the simulator, if it replaces the vendors. */
  readonly sandboxUrl: string | undefined
  /**
   * Prepares settings and known prices without blocking the event loop.
   * @returns a function that activates them.
   */
  readonly prepare: (active: ActiveSettings) => Promise<() => void>
  /** Called when the console has changed active settings, with the names of these settings. */
  readonly onConsoleChange: (changed: readonly string[]) => void
  readonly warn: (message: string) => void
}

/** The parts of the settings that a change replaces. */
interface NewParts {
  readonly base?: BaseSettings
  readonly state?: SettingsState
  readonly reading?: ConsoleReading
  readonly lists?: PriceLists
}

/** A change to one entry. null deletes the entry. */
export interface EntryChange {
  readonly section: ConsoleSection
  readonly id: string
  /** The entry in the format of `tollgate.yaml`, with its secrets. */
  readonly entry: unknown
}

/**
 * The active settings. Settings of the file and the environment take precedence over settings of the console, which
 * take precedence over the simulator. The file and the console can change independently at any time.
 */
export class LiveSettings {
  readonly #parts: LiveSettingsParts
  readonly #known = new Map<string, KnownRecord>()
  #base: BaseSettings
  #state: SettingsState
  #reading: ConsoleReading
  #lists: PriceLists
  #effective: Settings
  /** The end of the queue of changes, which are activated one after another. */
  #last: Promise<unknown> = Promise.resolve()

  private constructor(parts: LiveSettingsParts, state: SettingsState) {
    this.#parts = parts
    this.#base = parts.base
    this.#state = state
    this.#reading = this.#read(consoleRecords(state.records))
    this.#lists = readLists(state.records)
    this.#effective = this.#compose(this.#base, this.#reading)
    this.#warn()
  }

  /** Reads the settings of the console. Invalid settings never prevent the gateway from starting. */
  static async open(parts: LiveSettingsParts): Promise<LiveSettings> {
    return new LiveSettings(parts, await parts.store.settings.read())
  }

  /** The settings and known prices for serving requests. */
  get active(): ActiveSettings {
    const { warnings = [] } = this.#base
    return { settings: this.#effective, facts: this.#lists.facts, warnings }
  }

  /** The active settings, without the known prices. */
  get effective(): Settings {
    return this.#effective
  }

  /** The active and the pending list of known prices. */
  get lists(): PriceLists {
    return this.#lists
  }

  /** The settings of the file and the environment. */
  get base(): BaseSettings {
    return this.#base
  }

  /** The settings of the console, parsed. */
  get reading(): ConsoleReading {
    return this.#reading
  }

  /** The settings of the console, as stored. */
  get records(): readonly ConsoleSettingRecord[] {
    return consoleRecords(this.#state.records)
  }

  record(section: ConsoleSection, id: string): ConsoleSettingRecord | undefined {
    return this.records.find((record) => record.section === section && record.id === id)
  }

  /** Returns an entry of the console as it was entered, including secrets; undefined if it is missing or unreadable. */
  entry(section: ConsoleSection, id: string): RawEntry | undefined {
    return this.#reading.entries.get(placeOf(section, id))
  }

  /** Replaces the settings of the file and the environment. */
  rebase(base: BaseSettings): Promise<void> {
    return this.#inOrder(() => this.#activate({ base }))
  }

  /** Reads changes made in the console, by this or another process. */
  async refresh(revision?: number): Promise<void> {
    if (revision !== undefined && revision <= this.#state.revision) return
    await this.taken(await this.#parts.store.settings.read())
  }

  /** Returns the settings that would result from changes in the console. */
  preview(changes: readonly SettingChange[]): Settings {
    const places = new Set(changes.map(({ section, id }) => `${section}/${id}`))
    const kept: ConsoleRecord[] = this.records.filter(
      ({ section, id }) => !places.has(placeOf(section, id)),
    )
    const fresh = changes.flatMap(({ body, section, ...change }) =>
      body === null || section === "prices" ? [] : { ...change, section, body },
    )
    return this.#compose(this.#base, this.#read([...kept, ...fresh]))
  }

  /** Converts changes to the format of the store. They are encrypted and refer to the current state. */
  prepare(changes: readonly EntryChange[]): SettingChange[] {
    return changes.map(({ section, id, entry }) => {
      const replaces = this.record(section, id)?.revision ?? null
      if (entry === null) return { section, id, body: null, encrypted: null, replaces }
      return { section, id, replaces, ...encryptEntry(section, id, entry, this.#parts.cipher) }
    })
  }

  #read(records: readonly ConsoleRecord[]): ConsoleReading {
    return readConsole(records, { ...this.#parts, known: this.#known })
  }

  /** Activates changed settings, so that they are active when the change returns. */
  taken(state: SettingsState): Promise<void> {
    return this.#inOrder(() => this.#take(state))
  }

  async #take(state: SettingsState): Promise<void> {
    // Concurrent reads may complete in reverse order.
    if (state.revision <= this.#state.revision) return
    const records = consoleRecords(state.records)
    const reading = this.#read(records)
    const places = new Set(records.map(({ section, id }) => placeOf(section, id)))
    for (const place of this.#known.keys()) if (!places.has(place)) this.#known.delete(place)
    const before = this.#effective
    await this.#activate({ state, reading, lists: readLists(state.records, this.#lists) })
    const { changed } = settingsChanges(before, before, this.#effective)
    if (changed.length > 0) this.#parts.onConsoleChange(changed)
    this.#warn()
  }

  /** Activates new parts of the settings, all in the same turn of the event loop. */
  async #activate({
    base = this.#base,
    state = this.#state,
    reading = this.#reading,
    lists = this.#lists,
  }: NewParts): Promise<void> {
    const settings = this.#compose(base, reading)
    const { warnings = [] } = base
    const activate = await this.#parts.prepare({ settings, facts: lists.facts, warnings })
    activate()
    this.#base = base
    this.#state = state
    this.#reading = reading
    this.#lists = lists
    this.#effective = settings
  }

  /** Starts a change when the earlier ones have ended. */
  #inOrder(change: () => Promise<void>): Promise<void> {
    const done = this.#last.then(change)
    this.#last = done.catch(() => undefined)
    return done
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
    for (const fault of this.#lists.faults) this.#parts.warn(fault)
  }
}
