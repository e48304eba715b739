import type { RequestFilters } from "./request-filters.ts"

/** Properties of the request lists. */
export interface ListProperties {
  readonly account: string | undefined
  /** Whether the requests belong to several accounts. */
  readonly isAll: boolean
  readonly filters: RequestFilters
  /** Milliseconds between polls; false disables polling. */
  readonly refetchInterval: number | false
  /** Called after each poll. The argument states whether the poll succeeded. */
  readonly onState: (isWell: boolean) => void
}
