import { Group, Text, UnstyledButton } from "@mantine/core"
import { IconPlayerPlay } from "../../ui/icons.tsx"
import type { Model } from "tollgate-contract/catalog.ts"
import type { ReliabilityRow } from "tollgate-contract/usage.ts"
import { stateCode } from "../../format/health-state.ts"
import { Breakable } from "../../ui/breakable.tsx"
import { CopyButton } from "../../ui/copy-button.tsx"
import type { Column } from "../../ui/data-table.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { Money } from "../../ui/money.tsx"
import { ModelMark } from "../../ui/provider-mark.tsx"
import { HealthSummary, Speed } from "../../ui/reliability.tsx"
import { tabOfKind } from "../playground/tabs.ts"
import { CAPABILITIES, hasCapability } from "./capabilities.ts"
import { healthOf } from "./filter-models.ts"
import { Can, Endpoints, InputPrice, OutputPrice, Providers, tokens } from "./model-cells.tsx"
import { priceDate } from "./price-source.ts"
import { isOne, typicalCost } from "./prices.ts"
import { t } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"

/** Reliability of models, by id. */
export type ModelHistory = ReadonlyMap<string, ReliabilityRow> | undefined

/** Columns for users who see costs. */
const COST_COLUMNS: ReadonlySet<string> = new Set(["provider", "multiplier", "priced"])

/** Returns the columns of the catalog. @param show opens a model. */
export function modelColumns(
  show: (id: string) => void,
  history: ModelHistory,
  showsCosts: boolean,
): readonly Column<Model>[] {
  return allColumns(show, history).filter(({ id }) => showsCosts || !COST_COLUMNS.has(id))
}

function allColumns(show: (id: string) => void, history: ModelHistory): readonly Column<Model>[] {
  return [
    {
      id: "name",
      header: t("Model"),
      sort: "asc",
      cell: (model) => (
        <>
          <Group gap={2} wrap="nowrap">
            <ModelMark model={model.id} />
            <UnstyledButton onClick={() => show(model.id)} className="mono anywhere model-name">
              <Breakable name={model.id} />
            </UnstyledButton>
            <CopyButton value={model.id} label={t("Copy {id}", { id: model.id })} />
          </Group>
          <Text size="xs" c="dimmed" className={model.group === null ? "row-detail" : undefined}>
            {model.group === null
              ? word(model.kind)
              : t("{kind}, group of {count}", {
                  kind: word(model.kind),
                  count: model.group.members.length,
                })}
          </Text>
        </>
      ),
    },
    {
      id: "provider",
      header: t("Provider"),
      isSecondary: true,
      cell: (model) => <Providers model={model} />,
    },
    {
      id: "context",
      header: t("Context"),
      isFigure: true,
      sort: "desc",
      cell: ({ context }) => tokens(context),
    },
    {
      id: "max_output",
      header: t("Max output"),
      isFigure: true,
      isExtra: true,
      sort: "desc",
      cell: ({ max_output: maxOutput }) => tokens(maxOutput),
    },
    ...CAPABILITIES.map(({ value, label }) => ({
      id: value,
      header: label,
      isSecondary: true,
      cell: (model: Model) => <Can has={hasCapability(model, value)} />,
    })),
    ...priceColumns(),
    ...historyColumns(history),
    {
      id: "endpoints",
      header: t("Endpoints"),
      isExtra: true,
      cell: ({ endpoints }) => <Endpoints paths={endpoints} />,
    },
    {
      id: "try",
      header: t("Try it"),
      isAction: true,
      cell: (model) => <TryButton model={model} isShort />,
    },
  ]
}

function priceColumns(): readonly Column<Model>[] {
  return [
    {
      id: "input",
      header: t("Input"),
      isFigure: true,
      sort: "asc",
      cell: (model) => <InputPrice model={model} />,
    },
    {
      id: "output",
      header: t("Output"),
      isFigure: true,
      sort: "asc",
      cell: (model) => <OutputPrice model={model} />,
    },
    {
      id: "typical",
      header: t("2K in, 500 out"),
      isFigure: true,
      isExtra: true,
      sort: "asc",
      cell: (model) => {
        const cost = typicalCost(model)
        return cost === undefined ? (
          <span className="dim">–</span>
        ) : (
          <Money value={cost} decimals={6} />
        )
      },
    },
    {
      id: "multiplier",
      header: t("Multiplier"),
      isFigure: true,
      isWideOnly: true,
      isExtra: true,
      cell: ({ multiplier }) => (
        <span className={isOne(multiplier) ? "dim" : ""}>× {multiplier}</span>
      ),
    },
    {
      id: "priced",
      header: t("Price date"),
      isExtra: true,
      sort: "desc",
      cell: ({ price_source: source }) => (
        <span className="figures" title={source?.name ?? ""}>
          {priceDate(source)}
        </span>
      ),
    },
  ]
}

function historyColumns(history: ModelHistory): readonly Column<Model>[] {
  return [
    {
      id: "speed",
      header: t("Duration"),
      isFigure: true,
      isExtra: true,
      cell: ({ id }) => <Speed history={history?.get(id)} />,
    },
    {
      id: "health",
      header: t("Health"),
      cell: (model) => {
        const row = history?.get(model.id)
        return <HealthSummary state={stateCode(healthOf(model, row))} history={row} isShort />
      },
    },
  ]
}

/** Opens the playground with this model. */
export function TryButton({
  model,
  isShort = false,
}: {
  readonly model: Model
  /** Shows an icon only. */
  readonly isShort?: boolean
}) {
  if (model.price === null) return null
  const sign = <IconPlayerPlay size={14} aria-hidden />
  return (
    <LinkButton
      to="/playground"
      search={{ tab: tabOfKind(model.kind), model: model.id }}
      size="compact-sm"
      variant="light"
      leftSection={isShort ? undefined : sign}
      aria-label={t("Try {id}", { id: model.id })}
      title={t("Try it")}
    >
      {isShort ? sign : t("Try")}
    </LinkButton>
  )
}
