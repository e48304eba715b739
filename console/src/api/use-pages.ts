import { useInfiniteQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import type { Query } from "./address.ts"
import { pagesQuery } from "./queries.ts"

/** A list that grows: what `DataTable` and `MoreButton` need of it. */
export interface Pages<Item> {
  readonly items: readonly Item[]
  readonly isLoading: boolean
  readonly error: Error | null
  /** Whether there is anything to show: what was seen last stays when a later look fails. */
  readonly hasContent: boolean
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
  readonly retry: () => void
}

export interface PagesSettings {
  /** Milliseconds between looks; false: none. Every page that is shown is asked for again. */
  readonly refetchInterval?: number | false
  readonly enabled?: boolean
}

/** A list of the API with its further pages. */
export function usePages<Item>(
  path: string,
  query: Query = {},
  settings: PagesSettings = {},
): Pages<Item> {
  const asked = useInfiniteQuery({ ...pagesQuery<Item>(path, query), ...settings })
  const items = useMemo(() => asked.data?.pages.flatMap((page) => page.data) ?? [], [asked.data])
  return {
    items,
    isLoading: asked.isPending,
    error: asked.error,
    hasContent: asked.error === null || asked.data !== undefined,
    hasMore: asked.hasNextPage,
    isLoadingMore: asked.isFetchingNextPage,
    loadMore: () => void asked.fetchNextPage(),
    retry: () => void asked.refetch(),
  }
}
