import { CloseButton, Group, Paper, Text } from "@mantine/core"
import { inSentence, t } from "../languages/text.ts"

export interface FilterMarkProperties {
  /** The name of the filter: "End user". */
  readonly filter: string
  readonly value: string
  readonly onRemove: () => void
}

/** Shows a filter set by a link, with a button that removes it. */
export function FilterMark({ filter, value, onRemove }: FilterMarkProperties) {
  return (
    <Paper withBorder className="panel" px="xs" py={2}>
      <Group gap={4} wrap="nowrap" justify="space-between">
        <Text size="sm" className="anywhere">
          {filter}: {value}
        </Text>
        <CloseButton
          size="sm"
          aria-label={t("Show all, not only this {filter}", { filter: inSentence(filter) })}
          onClick={onRemove}
        />
      </Group>
    </Paper>
  )
}
