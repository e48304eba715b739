import type { RequestFilters } from "./request-filters.ts"

/** What the lists of requests are given. */
export interface ListProperties {
  readonly account: string | undefined
  /** Whether the requests are of several accounts. */
  readonly isAll: boolean
  readonly filters: RequestFilters
  /** Milliseconds between looks; false: none. */
  readonly refetchInterval: number | false
  /** Called with whether the last look has succeeded. */
  readonly onState: (isWell: boolean) => void
}
