import { Table, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { Model } from "tollgate-contract/catalog.ts"
import { useAccount } from "../../account.tsx"
import { modelsQueryFor } from "../../api/models-query.ts"
import { stateWord } from "../../format/health-state.ts"
import { useSession } from "../../session.tsx"
import { useAlignedPoints } from "../../ui/align-points.ts"
import { TextLink } from "../../ui/link-button.tsx"
import { Status } from "../../ui/status.tsx"
import { healthOf } from "./filter-models.ts"
import { InputPrice, OutputPrice } from "./model-cells.tsx"

type Group = NonNullable<Model["group"]>

const STRATEGIES: Readonly<Record<Group["strategy"], string>> = {
  weight: "Requests are shared by weight; the others take over when one fails.",
  order: "Tried in this order; the next one takes over when one fails.",
  price: "The cheapest is tried first; the next one takes over when it fails.",
  latency: "Two are drawn, and the quicker one is tried first.",
  least_busy: "The one with the fewest running requests is tried first.",
}

/** Lists the models of a group in the order of use, with their prices. */
export function GroupMembers({ group }: { readonly group: Group }) {
  const { is_operator: isOperator } = useSession()
  const { accountId } = useAccount()
  const { data: models } = useQuery(modelsQueryFor(isOperator ? undefined : accountId))
  const table = useAlignedPoints()
  const isOrdered = group.strategy === "order"
  const hasWeights = group.strategy === "weight"
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {STRATEGIES[group.strategy]}
      </Text>
      <Table ref={table} verticalSpacing={6} aria-label="Members">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Model</Table.Th>
            {hasWeights && <Table.Th ta="right">Weight</Table.Th>}
            <Table.Th ta="right">Input</Table.Th>
            <Table.Th ta="right">Output</Table.Th>
            <Table.Th>Health</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {group.members.map(({ model: id, weight }, index) => {
            const model = models?.find((one) => one.id === id)
            return (
              <Table.Tr key={id}>
                <Table.Td>
                  {isOrdered && `${index + 1}. `}
                  <TextLink
                    to="/models"
                    search={(before: object) => ({ ...before, model: id })}
                    className="mono anywhere"
                  >
                    {id}
                  </TextLink>
                </Table.Td>
                {hasWeights && <Table.Td ta="right">{weight}</Table.Td>}
                <Table.Td ta="right">{model && <InputPrice model={model} />}</Table.Td>
                <Table.Td ta="right">{model && <OutputPrice model={model} />}</Table.Td>
                <Table.Td>
                  {model && <Status value={stateWord(healthOf(model, undefined))} />}
                </Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
    </>
  )
}
