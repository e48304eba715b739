import type { SetupToken } from "./setup-token.ts"

export const SECRET_NAMES = ["key-pepper", "provider-key", "session-secret"] as const

/**
 * The names of secrets. `key-pepper` hashes callers' keys, so without it no key works. `provider-key` encrypts
 * credentials entered in the console, and `session-secret` encrypts second factors.
 */
export type SecretName = (typeof SECRET_NAMES)[number]

/** The secrets of an installation, which are the same in all its processes. They are never in the settings. */
export interface InstallationSecrets {
  /**
   * Returns a secret of 64 hexadecimal digits, and creates it if it does not exist.
   * @throws Error if the stored secret is damaged.
   */
  readOrCreate(name: SecretName): string
  /**
   * Returns a secret without creating it; undefined if it does not exist, for example in a copy of the ledger alone.
   */
  read(name: SecretName): string | undefined
  /** The token in the link for creating the first operator. */
  readonly setupToken: SetupToken
}
