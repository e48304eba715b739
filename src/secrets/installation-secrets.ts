import type { SetupToken } from "./setup-token.ts"

export const SECRET_NAMES = ["key-pepper", "provider-key", "session-secret"] as const

/**
 * `key-pepper`: callers' keys are hashed with it; if it is lost, no key works. `provider-key` encrypts the credentials
 * that the console is given, `session-secret` second factors.
 */
export type SecretName = (typeof SECRET_NAMES)[number]

/** The secrets of an installation, the same in all its processes; never in the settings. */
export interface InstallationSecrets {
  /** 64 hexadecimal digits, created where there are none. @throws Error when they are damaged. */
  readOrCreate(name: SecretName): string
  /** The same without creating anything; undefined where there are none, as with a copy of the ledger alone. */
  read(name: SecretName): string | undefined
  /** Of the link that makes the first operator. */
  readonly setupToken: SetupToken
}
