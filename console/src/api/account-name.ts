import { queryOptions } from "@tanstack/react-query"
import { api } from "./client.ts"

const MAX_ACCOUNTS_PER_REQUEST = 100

/** Accounts whose names are fetched together at the next tick. */
let waiting: Map<string, PromiseWithResolvers<string>> | undefined

/**
 * Fetches the name of an account by id. For a deleted account, the name is the id. All names needed by a page are
 * fetched together.
 */
export function accountNameQuery(id: string) {
  return queryOptions({
    queryKey: ["/accounts", "name", id],
    queryFn: () => nameOf(id),
    staleTime: 60_000,
  })
}

function nameOf(id: string): Promise<string> {
  if (waiting === undefined) {
    waiting = new Map()
    queueMicrotask(() => void ask())
  }
  const asked = waiting.get(id) ?? Promise.withResolvers<string>()
  waiting.set(id, asked)
  return asked.promise
}

async function ask(): Promise<void> {
  const all = [...(waiting ?? [])]
  waiting = undefined
  for (let first = 0; first < all.length; first += MAX_ACCOUNTS_PER_REQUEST) {
    const some = all.slice(first, first + MAX_ACCOUNTS_PER_REQUEST)
    try {
      const ids = some.map(([id]) => id).join(",")
      const { data } = await api("GET /accounts", {
        query: { ids, limit: MAX_ACCOUNTS_PER_REQUEST },
      })
      const names = new Map(data.map(({ id, name }) => [id, name]))
      for (const [id, asked] of some) asked.resolve(names.get(id) ?? id)
    } catch (thrown) {
      for (const [, asked] of some) asked.reject(thrown)
    }
  }
}
