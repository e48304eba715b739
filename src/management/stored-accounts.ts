import { GatewayError } from "../canon/errors.ts"
import type { AccountRecord } from "../store/accounts.ts"
import type { Store } from "../store/store.ts"

/** Returns the names of accounts by id. Only these accounts are read, because an installation may have many. */
export async function accountNames(
  { accounts }: Pick<Store, "accounts">,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const found = await accounts.list([...new Set(ids)])
  return new Map(found.map(({ id, name }) => [id, name]))
}

/**
 * Finds an account by its id.
 * @throws GatewayError `not_found`.
 */
export async function requireAccount(
  store: Pick<Store, "accounts">,
  id: string,
): Promise<AccountRecord> {
  const account = await store.accounts.find(id)
  // The store also finds accounts by name, but the API only accepts ids.
  if (account?.id === id) return account
  throw noAccount(id)
}

/** Builds the error for an account that does not exist, or that the actor may not see. */
export function noAccount(id: string): GatewayError {
  return new GatewayError("not_found", `There is no account '${id.slice(0, 100)}'.`)
}
