import type { Command } from "commander"
import { StoreError } from "../store/store-error.ts"
import type { AccountRecord } from "../store/accounts.ts"
import { type LoadedSettings, loadSettings } from "../config/load.ts"
import { openSecrets } from "../app/open-secrets.ts"
import { KeyHasher } from "../keys/secret.ts"
import { keyChangesIn } from "../machine/machine.ts"
import { SharedMemory } from "../machine/shared-memory.ts"
import { Accounts } from "../management/accounts.ts"
import { Audit } from "../management/audit.ts"
import { Codes } from "../management/codes.ts"
import { Credits } from "../management/credits.ts"
import { Keys } from "../management/keys.ts"
import { Statements } from "../management/statements.ts"
import type { InstallationSecrets } from "../secrets/installation-secrets.ts"
import type { Database } from "../store/database.ts"
import type { Store, StoreReader } from "../store/store.ts"
import { databaseOf } from "../store/installation-database.ts"
import { CommandError } from "./exit-codes.ts"
import { loadOptions } from "./load-options.ts"

/** The ledger and the keys of an installation, for commands that read or change them. */
export interface Installation {
  readonly loaded: LoadedSettings
  readonly database: Database
  readonly secrets: InstallationSecrets
  readonly store: Store
  readonly hasher: KeyHasher
  readonly audit: Audit
  readonly accounts: Accounts
  readonly keys: Keys
  readonly credits: Credits
  readonly codes: Codes
  readonly statements: Statements
}

/**
 * Opens the installation, runs a command in it, and closes it. Errors of the store become messages.
 */
export async function withInstallation<T>(
  command: Command,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const loaded = loadSettings(loadOptions(command))
  const { data } = loaded.settings
  const database = databaseOf(loaded.settings)
  await using store = await database.openStore()
  const { secrets, keyPepper } = await openSecrets(database, store)
  const hasher = new KeyHasher(keyPepper)
  const audit = new Audit(store)
  // Running gateways are notified before the command reports its success.
  const changed = async (): Promise<void> => keyChangesIn(SharedMemory.open(data)).raise()
  const accounts = new Accounts(store, audit, {
    changed,
    templates: () => loaded.settings.accountTemplates ?? {},
  })
  const keys = new Keys(store, audit, hasher, { changed })
  const credits = new Credits(store, audit)
  const codes = new Codes(store, audit, hasher)
  const statements = new Statements(store)
  const services = { accounts, keys, credits, codes, statements }
  try {
    return await work({ loaded, database, secrets, store, hasher, audit, ...services })
  } catch (error) {
    throw error instanceof StoreError ? rejectionOf(error) : error
  }
}

function rejectionOf(error: StoreError): CommandError {
  if (error.code === "not_found") return new CommandError("not_found", error.message)
  return new CommandError(error.code === "exists" ? "conflict" : "failed", error.message)
}

/**
 * Finds an account.
 * @throws CommandError `not_found`, which lists the existing accounts.
 */
export async function requireAccount(
  store: Pick<StoreReader, "accounts">,
  idOrName: string,
): Promise<AccountRecord> {
  const account = await store.accounts.find(idOrName)
  if (account) return account
  const names = (await store.accounts.list()).map(({ name }) => name)
  const hint =
    names.length === 0
      ? `Create it with: tollgate account create ${idOrName}`
      : `Accounts: ${names.slice(0, 10).join(", ")}`
  throw new CommandError("not_found", `there is no account '${idOrName}'`, hint)
}
