/** Settings of a provider that only some vendors have, as written in its entry. */
export const VENDOR_SETTINGS = [
  "api_key",
  "account",
  "region",
  "project",
  "location",
  "credentials",
  "access_key_id",
  "secret_access_key",
  "session_token",
  "identity",
] as const

export type VendorSetting = (typeof VENDOR_SETTINGS)[number]

/** Environment variables of settings. The first one that is set counts. */
export type SettingVariables = Readonly<
  Partial<Record<VendorSetting | "base_url", readonly string[]>>
>

/** A set of environment variables that is sufficient to configure a vendor. */
export interface VariableSet {
  /** All of these are required. */
  readonly needed: SettingVariables
  readonly optional?: SettingVariables
  /**
   * Whether other programs also use the variables, so that problems with them are only warnings.
   */
  readonly isShared?: boolean
}

/** The properties of a vendor that the settings use. The table itself is two layers above. */
export interface KnownVendor {
  readonly id: string
  readonly name: string
  /** Environment variables with its key, the main one first. */
  readonly keyVariables?: readonly string[]
  /**
   * The sets of environment variables that configure it. The first complete set counts; absent: a
   * key is enough.
   */
  readonly variableSets?: readonly VariableSet[]
  /** Absent if every provider has its own address, or if other settings determine it. */
  readonly baseUrl?: string
  /** The settings that only some vendors have; absent: `api_key` alone. */
  readonly settings?: readonly VendorSetting[]
  /** The required settings: all settings of one of these lists. */
  readonly needs?: readonly (readonly (VendorSetting | "base_url")[])[]
  /** The dialects that its servers support. */
  readonly chat?: readonly { readonly dialect: { readonly id: string } }[]
}
