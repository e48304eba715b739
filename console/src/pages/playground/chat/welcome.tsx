import { Text } from "@mantine/core"

/** Before the first question. */
export function Welcome() {
  return (
    <div className="chat-welcome">
      <Text fw={600}>Ask a model something</Text>
      <Text size="sm" c="dimmed" mt={4}>
        Answers stream in with their tokens and exact cost. Attach pictures, set a system prompt,
        compare two models, and copy any request as code. Nothing of it is kept when you leave this
        page.
      </Text>
    </div>
  )
}
