import type { RequestFilters } from "./request-filters.ts"

/** What the lists of requests are given. */
export interface ListProperties {
  readonly account: string | undefined
  /** Names of accounts by their ids; undefined: all requests are of one. */
  readonly accounts: ReadonlyMap<string, string> | undefined
  readonly filters: RequestFilters
  /** Milliseconds between looks; false: none. */
  readonly refetchInterval: number | false
  /** Called with whether the last look has succeeded. */
  readonly onState: (isWell: boolean) => void
}
