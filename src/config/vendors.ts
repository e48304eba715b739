/** Settings of a provider that only some vendors have, with their names in the file. */
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

/** The environment variables of each setting. The first variable that is set takes precedence. */
export type SettingVariables = Readonly<
  Partial<Record<VendorSetting | "base_url", readonly string[]>>
>

/** A set of environment variables that is sufficient to configure a vendor. */
export interface VariableSet {
  /** The settings that are required. */
  readonly needed: SettingVariables
  readonly optional?: SettingVariables
  /**
   * Whether other programs also use the variables, so that problems with them are only warnings.
   */
  readonly isShared?: boolean
}

/** The properties of a vendor that the settings use. The table of vendors is two layers above. */
export interface KnownVendor {
  readonly id: string
  readonly name: string
  /** Environment variables that may contain the vendor's key, the main one first. */
  readonly keyVariables?: readonly string[]
  /**
   * The sets of environment variables that configure the vendor. The first complete set is used. If absent, a key is
   * sufficient.
   */
  readonly variableSets?: readonly VariableSet[]
  /** Absent if each provider has its own address, or if other settings determine the address. */
  readonly baseUrl?: string
  /** The settings that only some vendors have; if absent, only `api_key`. */
  readonly settings?: readonly VendorSetting[]
  /** The required settings, as alternative lists. All settings of one list are required. */
  readonly needs?: readonly (readonly (VendorSetting | "base_url")[])[]
  /** The dialects that the vendor's servers support. */
  readonly chat?: readonly { readonly dialect: { readonly id: string } }[]
}
