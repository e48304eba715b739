import { Button, Group, Text } from "@mantine/core"
import { IconTrash } from "../../../ui/icons.tsx"
import { nanos, nanosText } from "../../../format/credits.ts"
import { Money } from "../../../ui/money.tsx"
import { type Exchange, knownCosts } from "../exchanges.ts"

export interface SpentProperties {
  readonly exchanges: readonly Exchange[]
  readonly onClear: () => void
}

/** What the conversation has cost so far. */
export function Spent({ exchanges, onClear }: SpentProperties) {
  if (exchanges.length === 0) return null
  const total = knownCosts(exchanges).reduce((sum, cost) => sum + nanos(cost), 0n)
  return (
    <Group justify="space-between" gap="xs">
      <Text size="xs" c="dimmed">
        This conversation cost: <Money value={nanosText(total)} hasUnit />
      </Text>
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        leftSection={<IconTrash size={14} />}
        onClick={onClear}
      >
        Clear
      </Button>
    </Group>
  )
}
