import type { Store } from "../store/store.ts"

/** Returns the names of accounts by id. Only these accounts are read, because an installation may have many. */
export async function accountNames(
  { accounts }: Pick<Store, "accounts">,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const found = await accounts.list([...new Set(ids)])
  return new Map(found.map(({ id, name }) => [id, name]))
}
