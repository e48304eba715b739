import { Group, Text } from "@mantine/core"
import { nanos, nanosText } from "../../../format/credits.ts"
import { Money } from "../../../ui/money.tsx"
import { type Exchange, knownCosts } from "../exchanges.ts"
import { rich } from "../../../languages/text.ts"

/** Shows the cost of the conversation so far, by model and in total. */
export function Spent({ exchanges }: { readonly exchanges: readonly Exchange[] }) {
  if (exchanges.length === 0) return null
  const costs = knownCosts(exchanges)
  return (
    <Group gap="xs" className="cost-line">
      <Text size="xs" c="dimmed">
        {rich("This conversation cost {money}", {
          money: <Money value={sumOf([...costs.values()].flat())} hasUnit />,
        })}
      </Text>
      {costs.size > 1 &&
        [...costs].map(([model, each]) => (
          <Text key={model} size="xs" c="dimmed" className="anywhere">
            {model}: <Money value={sumOf(each)} />
          </Text>
        ))}
    </Group>
  )
}

function sumOf(costs: readonly string[]): string {
  return nanosText(costs.reduce((sum, cost) => sum + nanos(cost), 0n))
}
