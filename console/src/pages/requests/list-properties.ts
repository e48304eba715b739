import type { RequestFilters } from "./request-filters.ts"

/** Properties of the request lists. */
export interface ListProperties {
  readonly account: string | undefined
  /** Whether the requests are of several accounts. */
  readonly isAll: boolean
  readonly filters: RequestFilters
  /** Milliseconds between polls; false: no polling. */
  readonly refetchInterval: number | false
  /** Called with the success of the last poll. */
  readonly onState: (isWell: boolean) => void
}
