import { Table, Text } from "@mantine/core"
import { differences } from "./difference.ts"
import { t } from "../../languages/text.ts"

export interface DifferenceViewProperties {
  readonly before: unknown
  readonly after: unknown
}

/** Shows the values before and after a change: one line for each field that differs. */
export function DifferenceView({ before, after }: DifferenceViewProperties) {
  const lines = differences(before, after)
  if (lines.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t("No recorded field changed.")}
      </Text>
    )
  }
  return (
    <Table.ScrollContainer minWidth={420} type="native" tabIndex={0}>
      <Table verticalSpacing={4} aria-label={t("What was changed")}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("Field")}</Table.Th>
            <Table.Th>{t("Before")}</Table.Th>
            <Table.Th>{t("After")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map(({ path, before: was, after: is }) => (
            <Table.Tr key={path}>
              <Table.Td className="mono anywhere">{path === "" ? t("all") : path}</Table.Td>
              <Table.Td className="mono anywhere difference-before">{was ?? <Absent />}</Table.Td>
              <Table.Td className="mono anywhere difference-after">{is ?? <Absent />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Absent() {
  return <span className="dim">–</span>
}
