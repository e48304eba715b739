import { Paper, Skeleton, Text } from "@mantine/core"
import type { ReactNode } from "react"

export interface StatProperties {
  readonly label: string
  readonly value: ReactNode
  /** A smaller line below the value, such as its composition or a comparison. */
  readonly note?: ReactNode
  readonly isLoading?: boolean
}

/** Shows one figure with its name. */
export function Stat({ label, value, note, isLoading = false }: StatProperties) {
  return (
    <Paper withBorder p="md" className="panel">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      {isLoading ? (
        <Skeleton height={28} mt={6} width="70%" />
      ) : (
        <Text className="figure-large" component="div">
          {value}
        </Text>
      )}
      {note !== undefined && !isLoading && (
        <Text size="xs" c="dimmed" mt={2} component="div">
          {note}
        </Text>
      )}
    </Paper>
  )
}
