import { Center, Stack, Text, ThemeIcon } from "@mantine/core"
import type { ReactNode } from "react"

export interface EmptyStateProperties {
  readonly icon?: ReactNode
  readonly title: string
  /** Describes the next step in one sentence. */
  readonly children?: ReactNode
  /** The button that starts the next step. */
  readonly action?: ReactNode
}

/** Explains why a list is empty, and what to do next. */
export function EmptyState({ icon, title, children, action }: EmptyStateProperties) {
  return (
    <Center py="xl" px="md">
      <Stack align="center" gap="xs" maw={440}>
        {icon !== undefined && (
          <ThemeIcon variant="light" size={44} radius="xl" aria-hidden>
            {icon}
          </ThemeIcon>
        )}
        <Text fw={600} ta="center">
          {title}
        </Text>
        {children !== undefined && (
          <Text c="dimmed" size="sm" ta="center" component="div">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  )
}
