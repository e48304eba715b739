import { Box, Group, Stack, Text, Title } from "@mantine/core"
import { useEffect, type ReactNode } from "react"

export interface PageProperties {
  readonly title: string
  /** Describes the purpose of the page in one sentence. */
  readonly description?: ReactNode
  /** The buttons of the page. The main button is the last. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Shows a page with its heading, buttons and content. Also sets the title of the browser tab. */
export function Page({ title, description, actions, children }: PageProperties) {
  return (
    <Stack gap="lg">
      <PageHeader title={title} description={description} actions={actions} />
      {children}
    </Stack>
  )
}

/** Shows only the heading, for pages with their own layout. */
export function PageHeader({ title, description, actions }: Omit<PageProperties, "children">) {
  useEffect(() => {
    document.title = `${title} · Tollgate`
  }, [title])
  return (
    <Group justify="space-between" align="flex-end" gap="md">
      <Box style={{ minWidth: 0, flex: "1 1 18rem" }}>
        <Title order={1} size="h2">
          {title}
        </Title>
        {description !== undefined && (
          <Text c="dimmed" size="sm" mt={4} maw="110ch">
            {description}
          </Text>
        )}
      </Box>
      {actions !== undefined && (
        <Group gap="xs" className="page-actions">
          {actions}
        </Group>
      )}
    </Group>
  )
}
