import { useInfiniteQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import type { RouteResponse, Input, Item, PageName } from "tollgate-contract/client.ts"
import { pagesQuery, untilAnswered } from "./queries.ts"

/** A list that grows page by page, as `DataTable` and `MoreButton` expect it. */
export interface Pages<Entry, Page = unknown> {
  readonly items: readonly Entry[]
  /** The response of the last page. */
  readonly last: Page | undefined
  /** Number of entries on all pages; undefined if the API does not give a total. */
  readonly total: number | undefined
  readonly isLoading: boolean
  readonly error: Error | null
  /** Whether there is data to show. Existing data stays when a refetch fails. */
  readonly hasContent: boolean
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
  readonly retry: () => void
}

export interface PagesSettings {
  /** Milliseconds between polls; false disables polling. Each poll refetches all shown pages. */
  readonly refetchInterval?: number | false
  readonly enabled?: boolean
}

/** Loads a list of the API page by page. */
export function usePages<Name extends PageName>(
  name: Name,
  input: Input<Name>,
  settings?: PagesSettings,
): Pages<Item<Name>, RouteResponse<Name>>
export function usePages<Name extends PageName>(
  name: Name,
  input: Input<Name>,
  settings: PagesSettings = {},
): Pages<unknown> {
  const { refetchInterval = false, ...rest } = settings
  const asked = useInfiniteQuery({
    ...pagesQuery(name, input),
    ...rest,
    refetchInterval: untilAnswered(refetchInterval),
  })
  const items = useMemo(
    () => asked.data?.pages.flatMap<unknown>((page) => page.data) ?? [],
    [asked.data],
  )
  return {
    items,
    last: asked.data?.pages.at(-1),
    total: totalOf(asked.data?.pages.at(-1)),
    isLoading: asked.isPending,
    error: asked.error,
    hasContent: asked.error === null || asked.data !== undefined,
    hasMore: asked.hasNextPage,
    isLoadingMore: asked.isFetchingNextPage,
    loadMore: () => void asked.fetchNextPage(),
    retry: () => void asked.refetch(),
  }
}

function totalOf(page: object | undefined): number | undefined {
  if (page === undefined || !("total" in page)) return undefined
  return typeof page.total === "number" ? page.total : undefined
}
