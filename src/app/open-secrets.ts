import type { InstallationSecrets } from "../secrets/installation-secrets.ts"
import type { Database } from "../store/database.ts"
import { LedgerError } from "../store/ledger-error.ts"
import type { StoreReader } from "../store/store.ts"

/** The secrets of an installation, including the pepper of key hashes. */
export interface OpenSecrets {
  readonly secrets: InstallationSecrets
  readonly keyPepper: string
}

/**
 * Opens the secrets of an installation and creates them at the first start. New secrets would make an existing ledger
 * useless, because all keys would be rejected without an explanation.
 * @throws LedgerError `without_secrets`.
 */
export async function openSecrets(
  database: Database,
  store: Pick<StoreReader, "keys">,
): Promise<OpenSecrets> {
  const secrets = await database.openSecrets()
  const known = secrets.read("key-pepper")
  if (known !== undefined) return { secrets, keyPepper: known }
  const [key] = await store.keys.list({ now: Date.now() }, null, 1)
  if (!key) return { secrets, keyPepper: secrets.readOrCreate("key-pepper") }
  throw new LedgerError(
    "without_secrets",
    `the secrets of the ledger at ${database.place} are missing: none of its keys would work`,
  )
}
