import { openSecrets } from "../app/open-secrets.ts"
import { GatewayError } from "../canon/errors.ts"
import type { Settings } from "../config/settings.ts"
import { KeyHasher } from "../keys/secret.ts"
import { Accounts } from "../management/accounts.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { Audit } from "../management/audit.ts"
import { FIRST_ACCOUNT } from "../management/first-account.ts"
import { Keys } from "../management/keys.ts"
import { databaseOf } from "../store/installation-database.ts"

export const FIRST_CREDITS = "10"

/**
 * Creates the first account with credits and a key.
 * @returns the key, or undefined if any account exists.
 */
export async function firstStart(settings: Settings): Promise<string | undefined> {
  const database = databaseOf(settings)
  await using store = await database.openStore()
  if (await store.accounts.any()) return undefined
  const audit = new Audit(store)
  const hasher = new KeyHasher((await openSecrets(database, store)).keyPepper)
  const input = { name: FIRST_ACCOUNT, credits: FIRST_CREDITS }
  const account = await new Accounts(store, audit)
    .create(COMMAND_LINE, input)
    .catch((error: unknown) => {
      // Another node of the same database has created the account, and prints the key.
      if (error instanceof GatewayError && error.kind === "conflict") return undefined
      throw error
    })
  if (!account) return undefined
  const keys = new Keys(store, audit, hasher)
  const key = await keys.create(COMMAND_LINE, { account: account.id, name: "first key" })
  return key.secret
}
