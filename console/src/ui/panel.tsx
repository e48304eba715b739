import { Box, Group, Paper, Text, Title } from "@mantine/core"
import type { ReactNode } from "react"

export interface PanelProperties {
  readonly title?: ReactNode
  readonly description?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  /** Whether the panel has no padding, for tables that reach the edge. */
  readonly isFlush?: boolean
}

/** A framed part of a page. */
export function Panel({ title, description, actions, children, isFlush = false }: PanelProperties) {
  const hasHeading = title !== undefined || actions !== undefined
  return (
    <Paper withBorder component="section" p={isFlush ? 0 : "md"} className="panel">
      {hasHeading && (
        <Group
          justify="space-between"
          align="flex-start"
          gap="sm"
          mb={isFlush ? 0 : "sm"}
          p={isFlush ? "md" : 0}
          pb={isFlush ? "xs" : 0}
        >
          <Box style={{ minWidth: 0, ...(description !== undefined && { flex: "1 1 12rem" }) }}>
            {title !== undefined && (
              <Title order={2} size="h5">
                {title}
              </Title>
            )}
            {description !== undefined && (
              <Text c="dimmed" size="sm" mt={2}>
                {description}
              </Text>
            )}
          </Box>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
      )}
      {children}
    </Paper>
  )
}
