import { Group, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { System } from "tollgate-contract/system.ts"
import { oneQuery, untilAnswered } from "../../../api/queries.ts"
import { bytesText } from "../../../format/bytes.ts"
import { durationText } from "../../../format/numbers.ts"
import { AskedPanel } from "../../../ui/asked-panel.tsx"
import { Facts } from "../../../ui/facts.tsx"
import { Status } from "../../../ui/status.tsx"
import { When } from "../../../ui/when.tsx"
import { rich, t } from "../../../languages/text.ts"

const POLL_INTERVAL_MS = 30_000
/** Maximum number of listed nodes. Larger installations use their own monitoring. */
const NODES = 12

/** Maximum number of listed problems. There may be one for each model. `tollgate doctor` lists all. */
const PROBLEMS = 6

/** Shows the gateway's processes and its database. */
export function SystemPanel() {
  const asked = useQuery({
    ...oneQuery("GET /system", {}),
    refetchInterval: untilAnswered(POLL_INTERVAL_MS),
  })
  return (
    <AskedPanel title={t("Nodes and database")} asked={asked}>
      {(system) => (
        <Stack gap="sm">
          <Problems problems={system.problems} />
          <Nodes nodes={system.nodes} />
          <Facts facts={factsOf(system)} />
        </Stack>
      )}
    </AskedPanel>
  )
}

function factsOf({ database, version }: System) {
  const { engine, bytes, round_trip_ms: roundTrip } = database
  return [
    { label: t("Database"), value: `${engine} ${database.version}` },
    { label: t("Size"), value: bytesText(bytes) },
    ...(roundTrip === null ? [] : [{ label: t("Round trip"), value: durationText(roundTrip) }]),
    { label: "Tollgate", value: version },
  ]
}

function Problems({ problems }: Pick<System, "problems">) {
  if (problems.length === 0) return null
  // Failed checks come first. The others stay in their order.
  const sorted = problems.toSorted(
    (left, right) => Number(right.result === "failed") - Number(left.result === "failed"),
  )
  return (
    <Stack gap="xs" role="list" aria-label={t("Problems")}>
      {sorted.slice(0, PROBLEMS).map(({ name, found, fix, result }) => (
        <div key={`${name} ${found}`} role="listitem">
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {name}
            </Text>
            <Status value={result} color={result === "failed" ? "red" : "yellow"} />
          </Group>
          <Text size="sm" className="anywhere">
            {found}: {fix}.
          </Text>
        </div>
      ))}
      <More count={problems.length - PROBLEMS} />
    </Stack>
  )
}

function Nodes({ nodes }: Pick<System, "nodes">) {
  return (
    <Stack gap="xs" role="list" aria-label={t("Nodes")}>
      {nodes.slice(0, NODES).map((node) => (
        <Group key={node.id} role="listitem" justify="space-between" gap="xs" wrap="nowrap">
          <div className="anywhere">
            <Text size="sm">
              {node.is_current
                ? t("{host}, process {process} (this node)", {
                    host: node.host,
                    process: node.process,
                  })
                : t("{host}, process {process}", { host: node.host, process: node.process })}
            </Text>
            <Text size="xs" c="dimmed">
              {rich("seen {when}", { when: <When at={node.last_seen_at} /> })}
            </Text>
          </div>
          {node.is_responding ? (
            <Status value="healthy" />
          ) : (
            <Status value="not_responding" color="yellow" />
          )}
        </Group>
      ))}
      <More count={nodes.length - NODES} />
    </Stack>
  )
}

/** Shows how many items of a list are not shown. */
function More({ count }: { readonly count: number }) {
  if (count <= 0) return null
  return (
    <Text size="xs" c="dimmed" role="listitem">
      {t("and {count} more", { count })}
    </Text>
  )
}
