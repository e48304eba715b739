import { Table, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { Model } from "tollgate-contract/catalog.ts"
import { useAccount } from "../../account.tsx"
import { modelsQueryFor } from "../../api/models-query.ts"
import { stateCode } from "../../format/health-state.ts"
import { useSession } from "../../session.tsx"
import { useAlignedPoints } from "../../ui/align-points.ts"
import { TextLink } from "../../ui/link-button.tsx"
import { Status } from "../../ui/status.tsx"
import { healthOf } from "./filter-models.ts"
import { InputPrice, OutputPrice } from "./model-cells.tsx"
import { t } from "../../languages/text.ts"

type Group = NonNullable<Model["group"]>

const STRATEGIES: Readonly<Record<Group["strategy"], string>> = {
  weight: t("Requests are shared by weight; the others take over when one fails."),
  order: t("Tried in this order; the next one takes over when one fails."),
  price: t("The cheapest is tried first; the next one takes over when it fails."),
  latency: t("Two are drawn, and the quicker one is tried first."),
  least_busy: t("The one with the fewest running requests is tried first."),
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
      <Table ref={table} verticalSpacing={6} aria-label={t("Members")}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("Model")}</Table.Th>
            {hasWeights && <Table.Th ta="right">{t("Weight")}</Table.Th>}
            <Table.Th ta="right">{t("Input")}</Table.Th>
            <Table.Th ta="right">{t("Output")}</Table.Th>
            <Table.Th>{t("Health")}</Table.Th>
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
                  {model && <Status value={stateCode(healthOf(model, undefined))} />}
                </Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
    </>
  )
}
