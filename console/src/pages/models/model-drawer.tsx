import { Badge, Group, Stack, Table, Text, Title } from "@mantine/core"
import type { Model } from "tollgate-contract/catalog.ts"
import type { ReliabilityRow } from "tollgate-contract/usage.ts"
import { stateWord } from "../../format/health-state.ts"
import { countText } from "../../format/numbers.ts"
import { useSession } from "../../session.tsx"
import { useAlignedPoints } from "../../ui/align-points.ts"
import { CopyButton } from "../../ui/copy-button.tsx"
import { type Fact, Facts } from "../../ui/facts.tsx"
import { FormDrawer } from "../../ui/form-modal.tsx"
import { Money } from "../../ui/money.tsx"
import { ReliabilityFacts } from "../../ui/reliability.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import { CAPABILITIES, hasCapability } from "./capabilities.ts"
import { DeploymentActions } from "./deployment-actions.tsx"
import { GroupMembers } from "./group-members.tsx"
import { TryButton } from "./model-columns.tsx"
import { ModelRules } from "./model-rules.tsx"
import { ModelPricing } from "./model-pricing.tsx"
import { priceSourceText } from "./price-source.ts"
import { OtherPrices } from "./other-prices.tsx"
import { allPrices, currentPrices, isOne, readablePrice, withFactor } from "./prices.ts"

export interface ModelDrawerProperties {
  readonly model: Model | undefined
  /** Reliability of the model; undefined if the model had no requests. */
  readonly history: ReliabilityRow | undefined
  readonly onClose: () => void
}

/** Shows the details of a model. For operators, its settings are editable. */
export function ModelDrawer({ model, history, onClose }: ModelDrawerProperties) {
  return (
    <FormDrawer
      opened={model !== undefined}
      onClose={onClose}
      title={<span className="mono anywhere">{model?.id}</span>}
    >
      {model !== undefined && <ModelDetail key={model.id} model={model} history={history} />}
    </FormDrawer>
  )
}

function ModelDetail({
  model,
  history,
}: Omit<ModelDrawerProperties, "onClose" | "model"> & { readonly model: Model }) {
  const { is_operator: isOperator, shows_costs: showsCosts } = useSession()
  return (
    <Stack gap="lg">
      <Group gap="xs">
        <TryButton model={model} />
        <CopyButton value={model.id} label="Copy ID" text="Copy ID" />
      </Group>
      <Facts facts={factsOf(model, showsCosts)} />
      <section>
        <Title order={3} size="h6" mb={4}>
          Last 24 hours
        </Title>
        <ReliabilityFacts history={history} />
      </section>
      <section>
        <Title order={3} size="h6" mb={4}>
          Price
        </Title>
        {model.group === null ? (
          <>
            <PriceTable model={model} />
            <OtherPrices model={model} />
            {isOperator && <ModelPricing model={model} />}
          </>
        ) : (
          <GroupPrice />
        )}
      </section>
      {model.group !== null && (
        <section>
          <Title order={3} size="h6" mb={4}>
            Members
          </Title>
          <GroupMembers group={model.group} />
        </section>
      )}
      {showsCosts && (
        <section>
          <Title order={3} size="h6" mb={4}>
            Deployments
          </Title>
          <Deployments model={model} />
          {isOperator && model.group === null && <DeploymentActions model={model} />}
        </section>
      )}
      {isOperator && model.kind === "chat" && model.group === null && (
        <section>
          <Title order={3} size="h6" mb={4}>
            Model rules
          </Title>
          <ModelRules model={model} />
        </section>
      )}
      <Endpoints endpoints={model.endpoints} />
    </Stack>
  )
}

function Endpoints({ endpoints }: Pick<Model, "endpoints">) {
  return (
    <section>
      <Title order={3} size="h6" mb={4}>
        Endpoints
      </Title>
      <Group gap={6}>
        {endpoints.map((endpoint) => (
          <Badge key={endpoint} variant="default" radius="sm" tt="none" fw={400} ff="monospace">
            {endpoint}
          </Badge>
        ))}
      </Group>
    </section>
  )
}

/** Explains that a group has no price, because each member has its own price. */
function GroupPrice() {
  return (
    <Text size="sm" c="dimmed">
      Each member is charged at its own price. The hold covers the most expensive one.
    </Text>
  )
}

const CAN_WORDS = { true: "yes", false: "no", null: "not known" }

function factsOf(model: Model, showsCosts: boolean): Fact[] {
  const origins = { known: "model registry", file: "tollgate.yaml", console: "this console" }
  return [
    { label: "Kind", value: model.kind },
    { label: "Made by", value: model.owned_by },
    {
      label: "Context",
      value: model.context === null ? "–" : `${countText(model.context)} tokens`,
    },
    {
      label: "Maximum output",
      value: model.max_output === null ? "–" : `${countText(model.max_output)} tokens`,
    },
    ...CAPABILITIES.map(({ value, label }) => ({
      label,
      value: CAN_WORDS[String(hasCapability(model, value)) as keyof typeof CAN_WORDS],
    })),
    ...(model.group === null && showsCosts
      ? [
          { label: "Price from", value: priceSourceText(model.price_source) },
          { label: "Multiplier", value: `× ${model.multiplier}` },
        ]
      : []),
    { label: "Defined in", value: origins[model.origin] },
  ]
}

function PriceTable({ model }: { readonly model: Model }) {
  const table = useAlignedPoints()
  if (model.price === null) {
    return (
      <Text size="sm" c="dimmed">
        It has no price, so requests for it are rejected.
      </Text>
    )
  }
  const hasFactor = !isOne(model.multiplier)
  return (
    <Table ref={table} verticalSpacing={4} aria-label="Prices">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Of</Table.Th>
          {hasFactor && <Table.Th ta="right">Price</Table.Th>}
          <Table.Th ta="right">{hasFactor ? "Including the multiplier" : "Credits"}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {allPrices(currentPrices(model)).map(({ name, label, price }) => (
          <Table.Tr key={label}>
            <Table.Td>
              {label} <span className="dim">{readablePrice(name, price).per}</span>
            </Table.Td>
            {hasFactor && (
              <Table.Td ta="right">
                <Money value={readablePrice(name, price).credits} />
              </Table.Td>
            )}
            <Table.Td ta="right">
              <Money value={readablePrice(name, withFactor(model, price)).credits} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Deployments({ model }: { readonly model: Model }) {
  return (
    <Stack gap="xs">
      {model.deployments.map(({ provider, model: name, weight, is_paused: isPaused, health }) => (
        <Group key={`${provider} ${name}`} justify="space-between" gap="xs" wrap="nowrap">
          <div className="anywhere">
            <Text size="sm">
              {provider} {name !== "" && <span className="mono dim">{name}</span>}
            </Text>
            <Text size="xs" c="dimmed">
              {weight === 0 ? "fallback" : `weight ${weight}`}; since the last start,{" "}
              {countText(health.successes)} answered, {countText(health.failures)} failed
              {health.until !== null && (
                <>
                  , paused until <When at={health.until} isExact />
                </>
              )}
            </Text>
            {health.last_error !== null && (
              <Text size="xs" c="red">
                {health.last_error}
              </Text>
            )}
          </div>
          <Status value={isPaused ? "paused" : stateWord(health.state)} />
        </Group>
      ))}
    </Stack>
  )
}
