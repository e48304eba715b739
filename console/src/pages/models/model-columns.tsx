import { Group, Text, UnstyledButton } from "@mantine/core"
import { IconPlayerPlay } from "../../ui/icons.tsx"
import type { Model } from "tollgate-contract/catalog.ts"
import type { ReliabilityRow } from "tollgate-contract/usage.ts"
import { stateWord } from "../../format/health-state.ts"
import { shortCount } from "../../format/numbers.ts"
import { CopyButton } from "../../ui/copy-button.tsx"
import type { Column } from "../../ui/data-table.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { Money } from "../../ui/money.tsx"
import { HealthSummary, Speed } from "../../ui/reliability.tsx"
import { Status } from "../../ui/status.tsx"
import { tabOfKind } from "../playground/tabs.ts"
import { healthOf } from "./filter-models.ts"
import {
  classLabel,
  effectivePrice,
  firstPrice,
  isOne,
  readablePrice,
  usualClasses,
} from "./prices.ts"

/** How models did, by id. */
export type ModelHistory = ReadonlyMap<string, ReliabilityRow> | undefined

/** The columns of the catalog. @param show opens a model. */
export function modelColumns(
  show: (id: string) => void,
  history: ModelHistory,
): readonly Column<Model>[] {
  return [
    {
      id: "id",
      header: "Model",
      cell: (model) => (
        <>
          <Group gap={2} wrap="nowrap">
            <UnstyledButton onClick={() => show(model.id)} className="mono anywhere model-name">
              {model.id}
            </UnstyledButton>
            <CopyButton value={model.id} label={`Copy ${model.id}`} />
          </Group>
          <Text size="xs" c="dimmed">
            {model.kind}
          </Text>
        </>
      ),
    },
    {
      id: "context",
      header: "Context",
      isFigure: true,
      cell: ({ context }) =>
        context === null ? <span className="dim">–</span> : shortCount(context),
    },
    { id: "input", header: "Input", isFigure: true, cell: (model) => <InputPrice model={model} /> },
    {
      id: "output",
      header: "Output",
      isFigure: true,
      cell: (model) => <OutputPrice model={model} />,
    },
    {
      id: "multiplier",
      header: "Multiplier",
      isFigure: true,
      isWideOnly: true,
      cell: ({ multiplier }) => (
        <span className={isOne(multiplier) ? "dim" : ""}>× {multiplier}</span>
      ),
    },
    ...historyColumns(history),
    { id: "try", header: "Try it", isAction: true, cell: (model) => <TryButton model={model} /> },
  ]
}

function historyColumns(history: ModelHistory): readonly Column<Model>[] {
  return [
    {
      id: "speed",
      header: "Duration",
      isFigure: true,
      cell: ({ id }) => <Speed history={history?.get(id)} />,
    },
    {
      id: "health",
      header: "Health",
      cell: (model) => {
        const row = history?.get(model.id)
        return <HealthSummary state={stateWord(healthOf(model, row))} history={row} />
      },
    },
  ]
}

/** Opens the playground with this model. */
export function TryButton({ model }: { readonly model: Model }) {
  if (model.price === null) return null
  return (
    <LinkButton
      to="/playground"
      search={{ tab: tabOfKind(model.kind), model: model.id }}
      size="compact-sm"
      variant="light"
      leftSection={<IconPlayerPlay size={14} />}
      aria-label={`Try ${model.id}`}
    >
      Try
    </LinkButton>
  )
}

function InputPrice({ model }: { readonly model: Model }) {
  if (model.price === null) return <Status value="no price" color="yellow" />
  // What models without an input price cost by stands here, with its name.
  const [name, price] = firstPrice(model, ["input", ...usualClasses(model.kind)]) ?? []
  if (name === undefined || price === undefined) return <span className="dim">–</span>
  const { credits, per } = readablePrice(name, price)
  return (
    <>
      <Money value={credits} decimals={6} />
      {name !== "input" && (
        <Text span size="xs" c="dimmed">
          {" "}
          {per === "per million" ? `per million ${classLabel(name).toLowerCase()}` : per}
        </Text>
      )}
    </>
  )
}

function OutputPrice({ model }: { readonly model: Model }) {
  const price = effectivePrice(model, "output")
  return price === undefined ? <span className="dim">–</span> : <Money value={price} decimals={6} />
}
