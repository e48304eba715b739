import { infiniteQueryOptions, QueryClient, queryOptions } from "@tanstack/react-query"
import type { Account, AccountCredits } from "tollgate-contract/accounts.ts"
import type { Page } from "tollgate-contract/common.ts"
import type { Key } from "tollgate-contract/keys.ts"
import type { Session, SignInOptions } from "tollgate-contract/session.ts"
import type { Query } from "./address.ts"
import { ApiError } from "./api-error.ts"
import { api } from "./client.ts"

/** The cache of all that was asked. What was tried and refused is not tried again by itself. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && isPassing(error),
      refetchOnWindowFocus: true,
    },
  },
})

function isPassing(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500)
}

export const sessionQuery = queryOptions({
  queryKey: ["/session"],
  queryFn: ({ signal }) => api.get<Session>("/session", {}, signal),
  staleTime: 60_000,
})

export const signInQuery = queryOptions({
  queryKey: ["/sign-in"],
  queryFn: ({ signal }) => api.get<SignInOptions>("/sign-in", {}, signal),
})

/** One answer of the API, kept under its path and query. */
export function oneQuery<Answer>(path: string, query: Query = {}) {
  return queryOptions({
    queryKey: [path, query],
    queryFn: ({ signal }) => api.get<Answer>(path, query, signal),
  })
}

/** A list of the API, page by page. Use with `usePages`. */
export function pagesQuery<Item>(path: string, query: Query = {}) {
  return infiniteQueryOptions({
    queryKey: [path, "pages", query],
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<Item>>(path, { ...query, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })
}

/** All accounts that the asker sees: an operator's switcher. */
export const accountsQuery = oneQuery<Page<Account>>("/accounts", { limit: 200 })

export function accountCreditsQuery(account: string) {
  return oneQuery<AccountCredits>(`/accounts/${account}/credits`)
}

/** The keys of an account, for choosing one. */
export function keysQuery(account: string | undefined) {
  return oneQuery<Page<Key>>("/keys", { account, limit: 200 })
}
