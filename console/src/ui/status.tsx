import { Badge, type MantineColor } from "@mantine/core"

/** The colour of each word that says how something is. */
const COLORS: Readonly<Record<string, MantineColor>> = {
  active: "gate",
  ok: "gate",
  healthy: "gate",
  settled: "gate",
  delivered: "gate",
  resting: "yellow",
  expired: "yellow",
  paused: "yellow",
  waiting: "yellow",
  written_off: "yellow",
  used_up: "gray",
  unknown: "gray",
  "no recent calls": "gray",
  released: "gray",
  closed: "gray",
  revoked: "red",
  disabled: "red",
  failed: "red",
}

export interface StatusProperties {
  /** A word of the API: `active`, `used_up`. */
  readonly value: string
  readonly title?: string
  readonly color?: MantineColor
}

/** How something is, in one word. Words that are not known are faults: `upstream_timeout` is red. */
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
      {value.replaceAll("_", " ")}
    </Badge>
  )
}
