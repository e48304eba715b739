import { Group, Text } from "@mantine/core"
import type { ReactNode } from "react"
import { joined } from "../../format/lists.ts"
import { durationText } from "../../format/numbers.ts"
import { TextLink } from "../../ui/link-button.tsx"
import { Money } from "../../ui/money.tsx"
import { t } from "../../languages/text.ts"

export interface CostLineProperties {
  readonly cost: string | null
  readonly requestId: string | null
  readonly durationMs: number | null
  readonly losses?: readonly string[]
  /** Further figures that are shown before the cost. */
  readonly children?: ReactNode
}

/** Shows the duration and the cost of a response, with a link to its receipt. */
export function CostLine({ cost, requestId, durationMs, losses, children }: CostLineProperties) {
  return (
    <Group className="cost-line figures">
      <Text size="xs" c="dimmed" component="div">
        <Group className="cost-line">
          {durationMs !== null && <span>{durationText(durationMs)}</span>}
          {children}
          {cost !== null && <Money value={cost} hasUnit />}
        </Group>
      </Text>
      {requestId !== null && (
        <TextLink size="xs" to="/requests/$request" params={{ request: requestId }}>
          {t("Receipt")}
        </TextLink>
      )}
      {losses !== undefined && losses.length > 0 && (
        <Text
          size="xs"
          c="dimmed"
          title={t("Parameters that were changed or not sent to this model")}
        >
          {t("Losses: {losses}", { losses: joined(losses) })}
        </Text>
      )}
    </Group>
  )
}
