import type { NewAuditRecord } from "./audit.ts"

/**
 * The kinds of run-time settings, which are providers, entries of models, price groups, settings of the gateway, and
 * lists of known prices.
 */
export type SettingSection = "provider" | "model" | "price_group" | "setting" | "prices"

/** A run-time setting. Times are Unix milliseconds. */
export interface SettingRecord {
  readonly section: SettingSection
  /** The id of a provider, a model or a price group, or the name of a setting, such as `timeouts.connect`. */
  readonly id: string
  /** JSON in the format of `tollgate.yaml`, without secrets. */
  readonly body: string
  /** The encrypted secrets of the setting; null if the setting has no secrets. */
  readonly encrypted: string | null
  /** The revision of the change that created this value. */
  readonly revision: number
  readonly changedAt: number
}

/** One of several changes that are applied together. */
export interface SettingChange extends Pick<SettingRecord, "section" | "id" | "encrypted"> {
  /** The new value; null deletes the setting. */
  readonly body: string | null
  /**
   * The revision of the replaced setting, so that no change in between is lost; null if the setting does not exist yet.
   */
  readonly replaces: number | null
}

/** All settings that were set in the console. */
export interface SettingsState {
  /** Increases with every change. */
  readonly revision: number
  readonly records: readonly SettingRecord[]
}

export interface SettingReads {
  /** Reads all settings that were set in the console. */
  read(): Promise<SettingsState>
}

export interface SettingWrites {
  /**
   * Applies all changes, or none.
   * @throws StoreError `conflict` if one of the settings was changed since it was read, or if a price group that has
   *   members would be deleted.
   */
  change(
    changes: readonly SettingChange[],
    at: number,
    audit: NewAuditRecord,
  ): Promise<SettingsState>
}
