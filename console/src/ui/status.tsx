import { Badge, type MantineColor } from "@mantine/core"
import { word } from "../languages/words.ts"

/** The color of each state. */
const COLORS: Readonly<Record<string, MantineColor>> = {
  active: "gate",
  ok: "gate",
  healthy: "gate",
  settled: "gate",
  charged: "gate",
  delivered: "gate",
  cooling_down: "yellow",
  expired: "yellow",
  paused: "yellow",
  pending: "yellow",
  written_off: "yellow",
  used_up: "gray",
  unknown: "gray",
  no_recent_calls: "gray",
  released: "gray",
  not_charged: "gray",
  closed: "gray",
  revoked: "red",
  disabled: "red",
  failed: "red",
}

export interface StatusProperties {
  /** A code of the API, such as `active` or `used_up`. */
  readonly value: string
  readonly title?: string
  readonly color?: MantineColor
}

/** Shows a state in one word. Unknown codes are shown as errors: `upstream_timeout` is red. */
export function Status({ value, title, color }: StatusProperties) {
  return (
    <Badge
      variant="light"
      color={color ?? COLORS[value] ?? "red"}
      radius="sm"
      tt="none"
      title={title}
      className="status"
    >
      {word(value)}
    </Badge>
  )
}
