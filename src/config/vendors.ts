/** What the settings need to know of a vendor. The table itself lives two floors up. */
export interface KnownVendor {
  readonly id: string
  readonly name: string
  /** Environment variables that switch the vendor on; the first one set wins, and it is the main one. */
  readonly keyVariables?: readonly string[]
  /** Absent where every provider has its own address. */
  readonly baseUrl?: string
}
