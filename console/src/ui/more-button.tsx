import { Button, Center } from "@mantine/core"
import type { Pages } from "../api/use-pages.ts"
import { t } from "../languages/text.ts"

interface MoreButtonProperties<Item> {
  readonly pages: Pages<Item>
  readonly label?: string
}

/** Loads the next page of a list. Hidden on the last page. */
export function MoreButton<Item>({ pages, label = t("Show more") }: MoreButtonProperties<Item>) {
  if (!pages.hasMore) return null
  return (
    <Center p="sm">
      <Button variant="default" size="xs" loading={pages.isLoadingMore} onClick={pages.loadMore}>
        {label}
      </Button>
    </Center>
  )
}
