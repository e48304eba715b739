import { Group, Text } from "@mantine/core"
import { CONSOLE_PATH } from "../base-path.ts"

/** The gateway's logo and name. */
export function Brand() {
  return (
    <Group gap={10} wrap="nowrap">
      <img src={`${CONSOLE_PATH}icon.svg`} alt="" width={26} height={26} />
      <Text fw={700} size="lg" style={{ letterSpacing: "-0.01em" }}>
        Tollgate
      </Text>
    </Group>
  )
}
