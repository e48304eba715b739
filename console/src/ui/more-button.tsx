import { Button, Center } from "@mantine/core"
import type { Pages } from "../api/use-pages.ts"

/** Loads the next page of a list; nothing on the last one. */
export function MoreButton<Item>({ pages }: { readonly pages: Pages<Item> }) {
  if (!pages.hasMore) return null
  return (
    <Center p="sm">
      <Button variant="default" size="xs" loading={pages.isLoadingMore} onClick={pages.loadMore}>
        Show more
      </Button>
    </Center>
  )
}
