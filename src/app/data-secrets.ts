import { loadSecrets, readSecrets, type Secrets } from "../config/secrets.ts"
import { LedgerError } from "../store/ledger-error.ts"
import type { StoreReader } from "../store/store.ts"

/**
 * The secrets of a data folder, created at the first start. A ledger whose keys were hashed with other secrets
 * is useless with new ones: no key would work, and nothing would say why.
 * @throws LedgerError `without_secrets`.
 */
export async function secretsOf(
  store: Pick<StoreReader, "keys">,
  dataDirectory: string,
): Promise<Secrets> {
  if (readSecrets(dataDirectory)) return loadSecrets(dataDirectory)
  const [key] = await store.keys.list({ now: Date.now() }, null, 1)
  if (!key) return loadSecrets(dataDirectory)
  throw new LedgerError(
    "without_secrets",
    `the secrets of ${dataDirectory} are gone, though its ledger exists: none of its keys would work`,
  )
}
