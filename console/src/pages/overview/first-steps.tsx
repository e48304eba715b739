import { Box, Group, Loader, Stack, Text, ThemeIcon } from "@mantine/core"
import { IconCheck } from "../../ui/icons.tsx"
import type { ReactNode } from "react"
import type { Key } from "tollgate-contract/keys.ts"
import { KeySnippets } from "../../ui/key-snippets.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { Panel } from "../../ui/panel.tsx"

export interface FirstStepsProperties {
  readonly keys: readonly Key[]
  readonly mayCreate: boolean
}

/** The way of a newcomer: a key, a request, and the page fills. */
export function FirstSteps({ keys, mayCreate }: FirstStepsProperties) {
  const active = keys.find((key) => key.status === "active")
  const hasKey = active !== undefined
  return (
    <Panel title="Your first request" description="Three steps, about a minute.">
      <Stack gap="lg" mt="xs">
        <Step number={1} isDone={hasKey} title="Create a key">
          {hasKey ? (
            <Text size="sm" c="dimmed">
              You already have one: {active.name}. A lost secret cannot be shown again, but the key
              can be rotated.
            </Text>
          ) : (
            <Text size="sm" c="dimmed" mb="xs">
              {mayCreate
                ? "Your program sends it with each request. It is shown only once, so copy it."
                : "You have read-only access here. Ask an account owner for a key."}
            </Text>
          )}
          {mayCreate && !hasKey && (
            <LinkButton to="/keys" search={{ create: "1" }}>
              Create a key
            </LinkButton>
          )}
        </Step>
        <Step number={2} isDone={false} title="Call a model with it">
          <KeySnippets secret="YOUR_KEY" models={active?.models ?? null} />
        </Step>
        <Step number={3} isDone={false} title="See it here">
          <Group gap="xs">
            <Loader size="xs" aria-hidden />
            <Text size="sm" c="dimmed">
              Waiting for the first request. This page updates automatically.
            </Text>
          </Group>
        </Step>
      </Stack>
    </Panel>
  )
}

interface StepProperties {
  readonly number: number
  readonly isDone: boolean
  readonly title: string
  readonly children: ReactNode
}

function Step({ number, isDone, title, children }: StepProperties) {
  return (
    <Group align="flex-start" wrap="nowrap" gap="md">
      <ThemeIcon variant={isDone ? "filled" : "light"} radius="xl" size={28}>
        {isDone ? <IconCheck size={16} aria-label="Done" /> : <Text size="sm">{number}</Text>}
      </ThemeIcon>
      <Box style={{ flex: 1, minWidth: 0 }}>
        <Text fw={600} mb={4}>
          {title}
        </Text>
        {children}
      </Box>
    </Group>
  )
}
