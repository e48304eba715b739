import type { SetupToken } from "./setup-token.ts"

export const SECRET_NAMES = ["key-pepper", "provider-key", "session-secret"] as const

/**
 * `key-pepper`: callers' keys are hashed with it; if it is lost, no key works. `provider-key` encrypts the credentials
 * that the console is given, `session-secret` second factors.
 */
export type SecretName = (typeof SECRET_NAMES)[number]

/** The secrets of an installation, the same in all its processes; never in the settings. */
export interface InstallationSecrets {
  /** Returns 64 hexadecimal digits, created if they do not exist. @throws Error if they are damaged. */
  readOrCreate(name: SecretName): string
  /**
   * Returns the secrets without creating them; undefined if they do not exist, for example in a copy of the ledger
   * alone.
   */
  read(name: SecretName): string | undefined
  /** The token in the link that creates the first operator. */
  readonly setupToken: SetupToken
}
