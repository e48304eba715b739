import { Badge, Group, Stack, Table, Text, Title } from "@mantine/core"
import type { Model } from "tollgate-contract/catalog.ts"
import type { ReliabilityRow } from "tollgate-contract/usage.ts"
import { stateCode } from "../../format/health-state.ts"
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
import { rich, t } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"

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
        <CopyButton value={model.id} label={t("Copy ID")} text={t("Copy ID")} />
      </Group>
      <Facts facts={factsOf(model, showsCosts)} />
      <section>
        <Title order={3} size="h6" mb={4}>
          {t("Last 24 hours")}
        </Title>
        <ReliabilityFacts history={history} />
      </section>
      <section>
        <Title order={3} size="h6" mb={4}>
          {t("Price")}
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
            {t("Members")}
          </Title>
          <GroupMembers group={model.group} />
        </section>
      )}
      {showsCosts && (
        <section>
          <Title order={3} size="h6" mb={4}>
            {t("Deployments")}
          </Title>
          <Deployments model={model} />
          {isOperator && model.group === null && <DeploymentActions model={model} />}
        </section>
      )}
      {isOperator && model.kind === "chat" && model.group === null && (
        <section>
          <Title order={3} size="h6" mb={4}>
            {t("Model rules")}
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
        {t("Endpoints")}
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
      {t("Each member is charged at its own price. The hold covers the most expensive one.")}
    </Text>
  )
}

const CAN_WORDS = { true: t("yes"), false: t("no"), null: t("not known") }

function factsOf(model: Model, showsCosts: boolean): Fact[] {
  const origins = { known: t("model registry"), file: "tollgate.yaml", console: t("this console") }
  return [
    { label: t("Kind"), value: word(model.kind) },
    { label: t("Vendor"), value: model.owned_by },
    {
      label: t("Context"),
      value:
        model.context === null ? "–" : t("{count} tokens", { count: countText(model.context) }),
    },
    {
      label: t("Maximum output"),
      value:
        model.max_output === null
          ? "–"
          : t("{count} tokens", { count: countText(model.max_output) }),
    },
    ...CAPABILITIES.map(({ value, label }) => ({
      label,
      value: CAN_WORDS[String(hasCapability(model, value)) as keyof typeof CAN_WORDS],
    })),
    ...(model.group === null && showsCosts
      ? [
          { label: t("Price from"), value: priceSourceText(model.price_source) },
          { label: t("Multiplier"), value: `× ${model.multiplier}` },
        ]
      : []),
    { label: t("Defined in"), value: origins[model.origin] },
  ]
}

function PriceTable({ model }: { readonly model: Model }) {
  const table = useAlignedPoints()
  if (model.price === null) {
    return (
      <Text size="sm" c="dimmed">
        {t("It has no price, so requests for it are rejected.")}
      </Text>
    )
  }
  const hasFactor = !isOne(model.multiplier)
  return (
    <Table ref={table} verticalSpacing={4} aria-label={t("Prices")}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("Usage")}</Table.Th>
          {hasFactor && <Table.Th ta="right">{t("Price")}</Table.Th>}
          <Table.Th ta="right">{hasFactor ? t("Including the multiplier") : t("Credits")}</Table.Th>
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
              {t(
                "{weight, plural, =0 {fallback} other {weight {weight}}}; since the last start, {successes} answered, {failures} failed",
                {
                  weight,
                  successes: countText(health.successes),
                  failures: countText(health.failures),
                },
              )}
              {health.until !== null && (
                <>
                  {", "}
                  {rich("paused until {when}", { when: <When at={health.until} isExact /> })}
                </>
              )}
            </Text>
            {health.last_error !== null && (
              <Text size="xs" c="red">
                {health.last_error}
              </Text>
            )}
          </div>
          <Status value={isPaused ? "paused" : stateCode(health.state)} />
        </Group>
      ))}
    </Stack>
  )
}
