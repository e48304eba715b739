import type { ChatDialect } from "../canon/dialect.ts"

/** Who makes the API: where it is, how it is signed, which dialect it speaks. */
export interface Vendor {
  readonly id: string
  readonly name: string
  /** With the version in its path and no slash at its end. Absent where every provider has its own. */
  readonly baseUrl?: string
  /** The environment variables that switch the vendor on, the main one first. */
  readonly keyVariables: readonly string[]
  /** The chat dialect its servers speak, made with its quirks. */
  readonly chat: ChatDialect
  /** The path of its chat endpoint below the base address. */
  readonly chatPath: string
  /** The headers that prove who calls. An absent key gives none. */
  authorize(apiKey: string | undefined): Readonly<Record<string, string>>
}
