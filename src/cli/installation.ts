import type { Command } from "commander"
import { databasePath } from "../app.ts"
import { type LoadedSettings, loadSettings, type LoadOptions } from "../config/load.ts"
import { loadSecrets } from "../config/secrets.ts"
import { KeyIssuer } from "../keys/keyring.ts"
import { KeyHasher } from "../keys/secret.ts"
import type { AccountRecord } from "../store/records.ts"
import { type Store, StoreError } from "../store/store.ts"
import { openStore } from "../store/open-store.ts"
import { vendors } from "../vendors/index.ts"
import { globalOptions } from "./command.ts"
import { CommandError } from "./exit-codes.ts"

/** How a command's options and the environment say where the settings are. */
export function loadOptions(command: Command): LoadOptions {
  const { file, dataDirectory } = globalOptions(command)
  return {
    environment: process.env,
    vendors: [...vendors.values()],
    ...(file === undefined ? {} : { file }),
    ...(dataDirectory === undefined ? {} : { dataDirectory }),
  }
}

/** The book and the keys of an installation, for a command that changes or shows them. */
export interface Installation {
  readonly loaded: LoadedSettings
  readonly store: Store
  readonly issuer: KeyIssuer
}

/** Opens the installation, lets a command work in it, and closes it. What the store refuses is said in words. */
export async function withInstallation<T>(
  command: Command,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const loaded = loadSettings(loadOptions(command))
  const { data } = loaded.settings
  await using store = await openStore(databasePath(data))
  const issuer = new KeyIssuer(store, new KeyHasher(loadSecrets(data).keyPepper))
  try {
    return await work({ loaded, store, issuer })
  } catch (error) {
    throw error instanceof StoreError ? refusalOf(error) : error
  }
}

function refusalOf(error: StoreError): CommandError {
  const code = error.code === "exists" ? "conflict" : error.code
  return new CommandError(code === "insufficient" ? "failed" : code, error.message)
}

/** @throws CommandError `not_found`, naming the accounts there are. */
export async function requireAccount(store: Store, idOrName: string): Promise<AccountRecord> {
  const account = await store.findAccount(idOrName)
  if (account) return account
  const names = (await store.listAccounts()).map(({ name }) => name)
  const hint =
    names.length === 0
      ? `Create it with: tollgate account create ${idOrName}`
      : `There are: ${names.slice(0, 10).join(", ")}`
  throw new CommandError("not_found", `there is no account '${idOrName}'`, hint)
}
