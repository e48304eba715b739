import { Paper, Skeleton, Text } from "@mantine/core"
import type { ReactNode } from "react"

export interface StatProperties {
  readonly label: string
  readonly value: ReactNode
  /** A smaller line below the value, such as its composition or a comparison. Its space is reserved while loading. */
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
        <Skeleton height={25} mt={6} width="70%" />
      ) : (
        <Text className="figure-large" component="div">
          {value}
        </Text>
      )}
      {note !== undefined && (
        <Text size="xs" c="dimmed" component="div" className="stat-note">
          {!isLoading && note}
        </Text>
      )}
    </Paper>
  )
}
