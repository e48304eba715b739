import type { NewAuditRecord } from "./audit.ts"

/**
 * What can be set at run time: a provider, a model's entry, a price group, one of the gateway's settings; and the
 * lists of known prices.
 */
export type SettingSection = "provider" | "model" | "price_group" | "setting" | "prices"

/** Something that was set at run time. Times are Unix milliseconds. */
export interface SettingRecord {
  readonly section: SettingSection
  /** The id of a provider, a model or a price group, or a setting's name: `deadlines.connect`. */
  readonly id: string
  /** JSON of the shape that `tollgate.yaml` has, without its secrets. */
  readonly body: string
  /** Its secrets, encrypted; null where it has none. */
  readonly encrypted: string | null
  /** The revision of the change that set it. */
  readonly revision: number
  readonly changedAt: number
}

/** One of the changes that are made together. */
export interface SettingChange extends Pick<SettingRecord, "section" | "id" | "encrypted"> {
  /** Null removes it. */
  readonly body: string | null
  /** The revision of what it replaces, null for nothing, so that no change in between is lost. */
  readonly replaces: number | null
}

/** All that the console has set. */
export interface SettingsState {
  /** Grows with every change. */
  readonly revision: number
  readonly records: readonly SettingRecord[]
}

export interface SettingReads {
  /** All that the console has set. */
  read(): Promise<SettingsState>
}

export interface SettingWrites {
  /**
   * Makes changes together.
   * @throws StoreError `conflict` when one of them was changed since it was read, or removes a price group that accounts
   * belong to.
   */
  change(
    changes: readonly SettingChange[],
    at: number,
    audit: NewAuditRecord,
  ): Promise<SettingsState>
}
