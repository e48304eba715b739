import { Group, Text } from "@mantine/core"

/** The gate and its name. */
export function Brand() {
  return (
    <Group gap={10} wrap="nowrap">
      <img src="/console/icon.svg" alt="" width={26} height={26} />
      <Text fw={700} size="lg" style={{ letterSpacing: "-0.01em" }}>
        Tollgate
      </Text>
    </Group>
  )
}
