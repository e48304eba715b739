import { Text } from "@mantine/core"

/** Before the first question. */
export function Welcome() {
  return (
    <div className="chat-welcome">
      <Text fw={600}>Ask a model something</Text>
      <Text size="sm" c="dimmed" mt={4}>
        Responses stream in with token counts and exact cost. Attach images, set a system prompt,
        compare two models, and copy any request as code. Nothing is kept when you leave this page.
      </Text>
    </div>
  )
}
