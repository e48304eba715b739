/** Settings of a provider that only some vendors have, as they are written in its entry. */
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

/** Settings and the environment variables they come from; of several, the first that is set counts. */
export type SettingVariables = Readonly<
  Partial<Record<VendorSetting | "base_url", readonly string[]>>
>

/** A way to set a vendor up by environment variables alone. */
export interface VariableSet {
  /** All of these are required. */
  readonly needed: SettingVariables
  readonly optional?: SettingVariables
  /** Other programs use the variables too, so a problem with them is only a warning. */
  readonly isShared?: boolean
}

/** What the settings need to know of a vendor. The table itself is two layers up. */
export interface KnownVendor {
  readonly id: string
  readonly name: string
  /** Environment variables that hold its key, the main one first. */
  readonly keyVariables?: readonly string[]
  /** The ways to configure it by environment variables, the first complete one counts; absent: a key is enough. */
  readonly variableSets?: readonly VariableSet[]
  /** Absent where every provider has its own address, or where it is made from other settings. */
  readonly baseUrl?: string
  /** Its settings that only some vendors have; absent: `api_key` alone. */
  readonly settings?: readonly VendorSetting[]
  /** The settings it requires: all of one of these lists. */
  readonly needs?: readonly (readonly (VendorSetting | "base_url")[])[]
  /** The dialects that its servers speak. */
  readonly chat?: readonly { readonly dialect: { readonly id: string } }[]
}
