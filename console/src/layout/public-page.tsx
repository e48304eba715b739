import { Center, Paper, Stack, Text, Title } from "@mantine/core"
import { useEffect, type ReactNode } from "react"
import { LanguageSelect } from "../ui/language-select.tsx"
import { Brand } from "./brand.tsx"

export interface PublicPageProperties {
  readonly title: string
  readonly description?: ReactNode
  readonly children: ReactNode
}

/** The layout of pages for visitors who are not signed in: one centered card, and the choice of the language. */
export function PublicPage({ title, description, children }: PublicPageProperties) {
  useEffect(() => {
    document.title = `${title} · Tollgate`
  }, [title])
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400} gap="lg">
        <Center>
          <Brand />
        </Center>
        <Paper withBorder p={{ base: "lg", sm: "xl" }} className="panel">
          <Title order={1} size="h3">
            {title}
          </Title>
          {description !== undefined && (
            <Text c="dimmed" size="sm" mt={4} component="div">
              {description}
            </Text>
          )}
          <Stack mt="lg">{children}</Stack>
        </Paper>
        <Center>
          <LanguageSelect size="xs" />
        </Center>
      </Stack>
    </Center>
  )
}
