import { databasePath } from "../app.ts"
import { loadSecrets } from "../config/secrets.ts"
import type { Settings } from "../config/settings.ts"
import { KeyIssuer } from "../keys/keyring.ts"
import { KeyHasher, randomText } from "../keys/secret.ts"
import { parseCredits } from "../ledger/money.ts"
import { FIRST_ACCOUNT } from "../management/first-account.ts"
import { openStore } from "../store/open-store.ts"

export const FIRST_CREDITS = "10"

/** Makes the first account with credits and a key. @returns the key, or undefined when there are accounts. */
export async function firstStart(settings: Settings): Promise<string | undefined> {
  await using store = await openStore(databasePath(settings.data))
  if ((await store.listAccounts()).length > 0) return undefined
  const now = Date.now()
  const account = await store.createAccount({
    id: `acc_${randomText(16)}`,
    name: FIRST_ACCOUNT,
    createdAt: now,
  })
  await store.addEntry({
    account: account.id,
    kind: "grant",
    amount: parseCredits(FIRST_CREDITS),
    at: now,
    note: "first start",
    author: "cli",
  })
  const issuer = new KeyIssuer(store, new KeyHasher(loadSecrets(settings.data).keyPepper))
  const { secret } = await issuer.issue({ account: account.id, name: "first key" })
  return secret
}
