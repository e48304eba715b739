import { Group, List, Text } from "@mantine/core"
import type { Receipt } from "tollgate-contract/receipts.ts"
import { Panel } from "../../ui/panel.tsx"
import { t } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"

/** Shows the parts of the request that were not sent to the vendor. Renders nothing if all parts were sent. */
export function LossesPanel({ losses }: { readonly losses: Receipt["losses"] }) {
  if (losses.length === 0) return null
  return (
    <Panel
      title={t("Not sent")}
      description={t("Fields the vendor does not support, and how they were handled.")}
    >
      <List size="sm" spacing={4}>
        {losses.map((loss) => (
          <List.Item key={`${loss.name} ${loss.effect}`}>
            <Group gap={6}>
              <Text span size="sm" className="mono anywhere">
                {loss.name}
              </Text>
              <Text span size="sm" c="dimmed">
                {word(loss.effect)}
              </Text>
            </Group>
          </List.Item>
        ))}
      </List>
    </Panel>
  )
}
