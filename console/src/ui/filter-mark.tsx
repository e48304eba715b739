import { CloseButton, Group, Paper, Text } from "@mantine/core"

export interface FilterMarkProperties {
  /** What is filtered by: "End user". */
  readonly filter: string
  readonly value: string
  readonly onRemove: () => void
}

/** A filter that a link has set, with a button that takes it away. */
export function FilterMark({ filter, value, onRemove }: FilterMarkProperties) {
  return (
    <Paper withBorder className="panel" px="xs" py={2}>
      <Group gap={4} wrap="nowrap" justify="space-between">
        <Text size="sm" className="anywhere">
          {filter}: {value}
        </Text>
        <CloseButton
          size="sm"
          aria-label={`Show all, not only this ${filter.toLowerCase()}`}
          onClick={onRemove}
        />
      </Group>
    </Paper>
  )
}
