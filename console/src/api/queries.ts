import { infiniteQueryOptions, QueryClient, queryOptions } from "@tanstack/react-query"
import {
  type AnyInput,
  type Input,
  type PageName,
  pathOf,
  type RouteName,
} from "tollgate-contract/client.ts"
import { isOutcomeUnknown } from "./api-error.ts"
import { api } from "./client.ts"

const RETRY_INTERVAL_MS = 3_000

/**
 * Returns a polling interval. While the gateway does not respond, the query is retried, so that the
 * page recovers without a reload.
 * @param otherwise milliseconds between polls if there is no error; false disables polling.
 */
export function untilAnswered(otherwise: number | false) {
  return ({ state }: { readonly state: { readonly error: unknown } }): number | false =>
    isOutcomeUnknown(state.error) ? RETRY_INTERVAL_MS : otherwise
}

/** The cache of all queries. Rejected requests are not retried automatically. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && isOutcomeUnknown(error),
      refetchOnWindowFocus: true,
      refetchInterval: untilAnswered(false),
    },
  },
})

export const sessionQuery = queryOptions({
  queryKey: ["/session"],
  queryFn: ({ signal }) => api("GET /session", {}, { signal }),
  staleTime: 60_000,
})

export const signInQuery = queryOptions({
  queryKey: ["/sign-in"],
  queryFn: ({ signal }) => api("GET /sign-in", {}, { signal }),
})

/** The name of a read-only route. */
type ReadName = Extract<RouteName, `GET ${string}`>

/** Fetches one response of the API, cached under its path and query. */
export function oneQuery<Name extends ReadName>(name: Name, input: Input<Name>) {
  return queryOptions({
    queryKey: keyOf(name, input),
    queryFn: ({ signal }) => api(name, input, { signal }),
  })
}

/** Fetches a list of the API page by page. Use it with `usePages`. */
export function pagesQuery<Name extends PageName>(name: Name, input: Input<Name>) {
  const [path, query] = keyOf(name, input)
  return infiniteQueryOptions({
    queryKey: [path, "pages", query],
    queryFn: ({ pageParam, signal }) => api(name, input, { signal, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })
}

/** Returns the key of a query. It starts with the path, because `refresh` matches on the path. */
function keyOf(name: RouteName, input: AnyInput) {
  return [pathOf(name, input), input.query ?? {}] as const
}

/** All accounts that the caller may see, for the operator's account switcher. */
export const accountsQuery = oneQuery("GET /accounts", { query: { limit: 200 } })

export function accountCreditsQuery(account: string) {
  return oneQuery("GET /accounts/{id}/credits", { path: { id: account } })
}

/** Fetches the keys of an account, for selecting a key. */
export function keysQuery(account: string | undefined) {
  return oneQuery("GET /keys", { query: { account, limit: 200 } })
}
